import type { Progress, SourceRetry } from "../../media/types.ts";
import { copiedBytes, type CopyState } from "../sources/copy-state.ts";
import type { JobOverview } from "./job-store.ts";
import type { EncodingPlan } from "./plan.ts";

/** The copy of the source counts as a tenth of the work, encoding as the rest. */
const COPY_SHARE = 10;

const percent = (share: number) => Math.round(Math.min(1, Math.max(0, share)) * 1000) / 10;

export const copyProgress = (bytesCopied: number, totalBytes: number | null): Progress => ({
  percent: totalBytes ? percent((bytesCopied / totalBytes) * (COPY_SHARE / 100)) : 0,
  stage: "downloading",
  renditions: [],
});

/** @param before the progress of the copy; null = nothing is copied yet */
export const retryProgress = (before: CopyState | undefined, retry: SourceRetry): Progress => {
  const ranged = before?.upload?.ranged ?? null;
  const copied = ranged === null ? copyProgress(0, null) : copyProgress(copiedBytes(ranged), ranged.file.size);
  return { ...copied, retry };
};

/** How much of every rendition is encoded. Chunks are weighted by their frames; audio counts as a tenth of the total. */
export function encodingProgress(plan: EncodingPlan, jobs: JobOverview[]): Progress {
  const done = (job: JobOverview | undefined) => (job?.state === "done" ? 1 : (job?.progress ?? 0));
  const video = plan.video;
  const frames = video?.chunks.reduce((sum, chunk) => sum + chunk.frameCount, 0) ?? 0;
  const encoded =
    video?.chunks.reduce((sum, chunk, position) => {
      const job = jobs.find(({ spec }) => spec.kind === "video" && spec.chunk === position);
      return sum + chunk.frameCount * done(job);
    }, 0) ?? 0;
  const picture = frames > 0 ? encoded / frames : 1;
  const sounds = plan.audio.map((planned, track) => ({
    name: planned.rendition,
    share: done(jobs.find(({ spec }) => spec.kind === "audio" && spec.track === track)),
  }));
  const sound = sounds.length > 0 ? sounds.reduce((sum, { share }) => sum + share, 0) / sounds.length : 1;
  const soundWeight = frames > 0 ? 0.1 : 1;
  const whole = picture * (1 - soundWeight) + sound * soundWeight;
  // The speed of the chunk being encoded, or else of the last one encoded.
  const measured = jobs.filter((job) => job.spec.kind === "video" && job.speed > 0);
  const speed = (measured.find(({ state }) => state === "leased") ?? measured.at(-1))?.speed;
  return {
    percent: percent(COPY_SHARE / 100 + (1 - COPY_SHARE / 100) * whole),
    stage: "encoding",
    renditions: [
      ...(video?.rungs ?? []).map(({ name }) => ({ name, percent: percent(picture) })),
      ...sounds.map(({ name, share }) => ({ name, percent: percent(share) })),
    ],
    ...(speed === undefined ? {} : { speed }),
  };
}
