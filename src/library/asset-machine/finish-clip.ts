import type { InitFacts, VideoResult } from "../../../protocol/jobs.ts";
import { toHex } from "../../../protocol/hex.ts";
import { clipRenditionName } from "../../media/clips/shared-rendition.ts";
import type { Rendition } from "../../media/manifest/model.ts";
import type { Env } from "../../platform/env.ts";
import { renditionKey } from "../../platform/storage/keys.ts";
import { CHUNKS_INCONSISTENT } from "../assets/asset-error.ts";
import { deleteEdges, moveEdges } from "./clips/move-edges.ts";
import { edgeName } from "../encoding/plan-recorded-clip.ts";
import { storeShared } from "../clips/stored-segment.ts";
import { assembleClip, type CutRendition, type OwnSegment } from "../encoding/assemble-clip.ts";
import type { AssetComponents, MachineClip } from "./core/components.ts";
import { endReady, failAsset } from "./end-processing.ts";
import { ownerRows } from "./clips/owner-rows.ts";

/** The edges are encoded: stores where the segments of the clip are, and makes it ready. */
export async function finishClip(machine: AssetComponents, clip: MachineClip): Promise<void> {
  const { asset, documents, env } = machine;
  const rows = await ownerRows(env, clip.source.ownerId, asset.maxResolution);
  const renditions = await cutRenditions(machine, clip, rows);
  if (!machine.isProcessing) return;
  if (renditions === null) return failAsset(machine, CHUNKS_INCONSISTENT);
  const { sounds: _, ...cut } = clip;
  const made = assembleClip(asset.id, cut, renditions);
  for (const { row, shared } of made) await storeShared(env, { assetId: asset.id, rendition: row.name }, shared);
  if (!machine.isProcessing || documents.get("stage") === "done") return;
  endReady(
    machine,
    made.map(({ row }) => row),
    false,
  );
  if (clip.edges !== undefined) await deleteEdges(env, asset.id, rows, documents.get("plan")?.video?.chunks ?? []);
}

/** @returns null when a job has not made what was planned */
async function cutRenditions(
  machine: AssetComponents,
  clip: MachineClip,
  rows: Rendition[],
): Promise<CutRendition[] | null> {
  const { asset, documents, env, jobs } = machine;
  const chunks = documents.get("plan")?.video?.chunks ?? [];
  const results: VideoResult[] = [];
  for (const [position, chunk] of chunks.entries()) {
    const result = jobs.all().find(({ spec }) => spec.kind === "video" && spec.chunk === position)?.result;
    if (result?.kind !== "video" || result.frameCount !== chunk.frameCount) return null;
    results.push(result);
  }
  const renditions: CutRendition[] = [];
  for (const row of rows) {
    const sound = clip.sounds.find(({ ownerName }) => ownerName === row.name);
    if (sound !== undefined) renditions.push({ row, ...sound, ownInit: null });
    if (row.kind !== "video") continue;
    const made = clip.edges === undefined ? clipRenditionName(row.name) : edgeName(row.name);
    const own = results.map(({ renditions: all }) => all.find(({ name }) => name === made));
    const segments = own.map((one) => (one?.segments.length === 1 ? one.segments[0] : undefined));
    const [init, other] = own.map((one) => one?.init);
    if (segments.includes(undefined) || (other !== undefined && other.sha256 !== init?.sha256)) return null;
    const edges =
      clip.edges === undefined
        ? (segments as OwnSegment[])
        : await moveEdges(env, asset.id, row, { edges: clip.edges, segments: segments as OwnSegment[], chunks });
    renditions.push({
      row,
      head: clip.hasHead ? edges[0]! : null,
      tail: clip.hasTail ? edges.at(-1)! : null,
      ownInit: init === undefined ? null : await differing(env, clip.source.ownerId, row, init),
    });
  }
  return renditions;
}

/** @returns null when the owner's init segment is the same */
async function differing(env: Env, ownerId: string, row: Rendition, init: InitFacts): Promise<InitFacts | null> {
  if (row.origin === "passthrough" || row.segments.spans !== undefined) return init;
  const object = await env.MEDIA.get(renditionKey(ownerId, row.name, "init.mp4"));
  if (object === null) throw new Error(`no init segment of ${row.name} to share`);
  const digest = await crypto.subtle.digest("SHA-256", await object.arrayBuffer());
  return toHex(new Uint8Array(digest)) === init.sha256 ? null : init;
}
