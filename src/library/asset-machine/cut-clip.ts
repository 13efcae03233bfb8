import { log } from "../../platform/log.ts";
import { openDatabase } from "../../platform/database.ts";
import { assetMachine } from "../assets/asset-calls.ts";
import { CLIP_EMPTY, CLIP_SOURCE_GONE } from "../assets/asset-error.ts";
import { tracksOf } from "../assets/track-rows.ts";
import { mediaIdIn } from "../clips/clip-address.ts";
import { ownerOf } from "../clips/shared-media.ts";
import type { ClipSource } from "../encoding/clip-cut.ts";
import { planClip } from "../encoding/clip-plan.ts";
import { jobId, jobsOf } from "../encoding/job-spec.ts";
import { encodingProgress } from "../encoding/progress.ts";
import { languageName } from "../../media/languages.ts";
import { clipRenditionName } from "../../media/clips/shared-rendition.ts";
import type { AssetComponents } from "./core/components.ts";
import { failAsset } from "./end-processing.ts";
import { addCutChapters } from "./clips/cut-chapters.ts";
import { addCutCaptions } from "./clips/cut-captions.ts";
import { cutSounds } from "./clips/cut-sounds.ts";
import { ownerRows } from "./clips/owner-rows.ts";

/**
 * Plans a clip: which segments it shares, and what of the first and of the last one is encoded again. Its sound, its captions and its chapters are cut at once. The
 * media may have been deleted meanwhile; its bytes are kept (`keepOwner`).
 */
export async function cutClip(machine: AssetComponents): Promise<void> {
  const { asset, documents, env, jobs } = machine;
  const startedAt = machine.clock();
  const sourceId = mediaIdIn(asset.sourceUrl) ?? "";
  const ownerId = await ownerOf(openDatabase(env.DB), asset.id);
  if (ownerId === null) return failAsset(machine, CLIP_SOURCE_GONE);
  const rows = await ownerRows(env, ownerId, asset.maxResolution);
  const isRecorded = ownerId === sourceId && rows.some(({ segments }) => segments.spans !== undefined);
  const source = isRecorded ? recordingOf(ownerId) : await assetMachine(env, sourceId).readClipSource();
  if (!machine.isProcessing) return;
  if (source === null) return failAsset(machine, CLIP_SOURCE_GONE);
  const asked = { startMs: asset.clipStartMs, endMs: asset.clipEndMs };
  const planned = planClip(source, asked, rows);
  if (planned === null) return failAsset(machine, CLIP_EMPTY);
  const { cut, plan } = planned;
  const audio = rows.filter(({ kind, segments }) => kind === "audio" && segments.bytes.length >= cut.endSegment);
  const sounds = await Promise.all(
    audio.map((row, n) =>
      cutSounds(env, asset.id, { ownerName: row.name, name: clipRenditionName(`a${n + 1}`) }, row, cut),
    ),
  );
  await addCutCaptions(machine, sourceId, asked);
  await addCutChapters(machine, sourceId, { startMs: asked.startMs, durationMs: cut.endMs - cut.startMs });
  if (!machine.isProcessing) return;
  const video = plan.video?.source ?? null;
  const labels = audio.map(({ languageCode, languageName: name }) => {
    const code = languageCode ?? "und";
    return { languageCode: code, title: name === languageName(code) ? "" : (name ?? "") };
  });
  machine.commit(() => {
    documents.put("clip", { ...cut, sounds });
    documents.put("plan", plan);
    for (const spec of jobsOf(plan)) jobs.add(jobId(asset.id, spec), spec);
    machine.enterStage("encoding", {
      durationMs: Math.round(cut.endMs - cut.startMs),
      progress: encodingProgress(plan, jobs.overview()),
      ...(plan.video === null || video === null
        ? {}
        : {
            widthPx: video.widthPx,
            heightPx: video.heightPx,
            frameRate: `${plan.video.grid.frameRate.num}/${plan.video.grid.frameRate.den}`,
          }),
    });
    machine.outbox.enqueue({
      kind: "tracks",
      payload: tracksOf(asset.id, { video: plan.video === null ? null : video, audio: labels }),
    });
  });
  const { firstSegment, endSegment, hasHead, hasTail } = cut;
  const segments = endSegment - firstSegment;
  log("clip.cut", { assetId: asset.id, segments, hasHead, hasTail, tookMs: machine.clock() - startedAt });
  machine.timers.schedule("work", machine.clock());
}

/** Recordings have no machine that has planned them. */
const recordingOf = (ownerId: string): ClipSource => ({
  ownerId,
  startMs: 0,
  endMs: null,
  fileRange: { startMs: 0, endMs: null },
  isRecorded: true,
  video: null,
});
