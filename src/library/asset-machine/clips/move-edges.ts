import { clipRenditionName } from "../../../media/clips/shared-rendition.ts";
import { retargetSegment } from "../../../media/download/retarget-segment.ts";
import { findContent } from "../../../media/mp4/fragment-samples.ts";
import type { Rendition } from "../../../media/manifest/model.ts";
import type { Env } from "../../../platform/env.ts";
import { renditionKey } from "../../../platform/storage/keys.ts";
import type { OwnSegment } from "../../encoding/assemble-clip.ts";
import type { EdgeSource } from "../../encoding/clip-cut.ts";
import { edgeName } from "../../encoding/plan-recorded-clip.ts";
import type { VideoChunk } from "../../encoding/plan.ts";

const MDHD = ["moov", "trak", "mdia", "mdhd"].map((type) => ({ type }));
/** Of `timescale` in the content of `mdhd`, version 0. */
const TIMESCALE_AT = 12;

interface Edges {
  edges: EdgeSource[];
  segments: OwnSegment[];
  chunks: VideoChunk[];
}

/**
 * Edges of a recording are encoded from single segments, so their times begin near 0. Stores them as segments of the clip, at their place on the
 * timeline of the recording. Repeatable.
 */
export async function moveEdges(
  env: Env,
  clipId: string,
  row: Rendition,
  { edges, segments, chunks }: Edges,
): Promise<OwnSegment[]> {
  const read = async (file: string) => {
    const object = await env.MEDIA.get(renditionKey(clipId, edgeName(row.name), file));
    if (object === null) throw new Error(`no ${file} of an edge of ${row.name}`);
    return new Uint8Array(await object.arrayBuffer());
  };
  const write = (file: string, bytes: Uint8Array<ArrayBuffer>) =>
    env.MEDIA.put(renditionKey(clipId, clipRenditionName(row.name), file), bytes);
  const init = await read("init.mp4");
  const mdhd = findContent(init, MDHD)!;
  const timescale = new DataView(mdhd.buffer, mdhd.byteOffset).getUint32(TIMESCALE_AT);
  await write("init.mp4", init);
  const moved: OwnSegment[] = [];
  for (const [n, { mediaSeconds }] of edges.entries()) {
    const { firstFrame, firstSegment } = chunks[n]!;
    const bytes = await read(`${firstSegment}.m4s`);
    retargetSegment(bytes, { trackId: null, shiftTicks: Math.round(mediaSeconds * timescale) });
    await write(`${firstSegment}.m4s`, bytes);
    const frameTicks = (row.timescale * (row.frameRateDen ?? 1)) / (row.frameRateNum ?? 1);
    const startTicks = Math.round(mediaSeconds * row.timescale + firstFrame * frameTicks);
    moved.push({ ...segments[n]!, keyframes: [], startTicks });
  }
  return moved;
}

/** What the encoder has stored of edges is not needed any more. */
export async function deleteEdges(env: Env, clipId: string, rows: readonly Rendition[], chunks: readonly VideoChunk[]) {
  const files = ["init.mp4", ...chunks.map(({ firstSegment }) => `${firstSegment}.m4s`)];
  const pictures = rows.filter(({ kind }) => kind === "video");
  await env.MEDIA.delete(
    pictures.flatMap(({ name }) => files.map((file) => renditionKey(clipId, edgeName(name), file))),
  );
}
