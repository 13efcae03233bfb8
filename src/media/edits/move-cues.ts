import type { Cue } from "../captions/cue.ts";

/** One range of a file, where the output shows it. Milliseconds. */
export interface PlacedTake {
  file: number;
  startMs: number;
  endMs: number;
  /** When it begins in the output. */
  atMs: number;
}

/** Places ranges one after another. Pure. @param durationMs how long the output shows each: that of the range, up to a frame */
export function placeTakes(
  takes: readonly { file: number; clip: { startMs: number; endMs: number | null }; durationMs: number }[],
): PlacedTake[] {
  let atMs = 0;
  return takes.map(({ file, clip, durationMs }) => {
    const { startMs } = clip;
    const placed = { file, startMs, endMs: startMs + durationMs, atMs };
    atMs += durationMs;
    return placed;
  });
}

/** The captions of a file in the time of the output, by their start: cut at the ends of the ranges, and gone where nothing of the file is shown. Pure. */
export const moveCues = (cues: readonly Cue[], file: number, takes: readonly PlacedTake[]): Cue[] =>
  takes
    .filter((take) => take.file === file)
    .flatMap(({ startMs, endMs, atMs }) =>
      cues
        .filter((cue) => cue.startMs < endMs && cue.endMs > startMs)
        .map((cue) => ({
          ...cue,
          startMs: Math.round(Math.max(cue.startMs, startMs) - startMs + atMs),
          endMs: Math.round(Math.min(cue.endMs, endMs) - startMs + atMs),
        }))
        .filter((cue) => cue.endMs > cue.startMs),
    )
    .toSorted((a, b) => a.startMs - b.startMs || a.endMs - b.endMs);
