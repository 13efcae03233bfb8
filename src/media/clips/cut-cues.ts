import type { ClipRange } from "../../../protocol/jobs.ts";
import type { Cue } from "../captions/cue.ts";

/** The cues that are shown between two times, on a timeline that begins at the first one. */
export function cutCues(cues: readonly Cue[], { startMs, endMs }: ClipRange): Cue[] {
  const end = endMs ?? Infinity;
  return cues
    .filter((cue) => cue.endMs > startMs && cue.startMs < end)
    .map((cue) => ({
      ...cue,
      startMs: Math.max(0, cue.startMs - startMs),
      endMs: Math.min(cue.endMs, end) - startMs,
    }));
}
