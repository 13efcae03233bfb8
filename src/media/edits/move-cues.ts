import { CaptionsError, type Cue, MAX_CAPTION_BYTES, MAX_CUES } from "../captions/cue.ts";

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

/**
 * The captions of a file in the time of the output, by their start: cut at the ends of the ranges, and gone where nothing of the file is shown. Pure.
 *
 * @throws {CaptionsError} captions_too_large when the output would have more captions than a track may, before they are made: each take may repeat them all
 */
export function moveCues(cues: readonly Cue[], file: number, takes: readonly PlacedTake[]): Cue[] {
  const own = takes.filter((take) => take.file === file);
  let [count, length] = [0, 0];
  for (const { startMs, endMs } of own)
    for (const cue of cues)
      if (cue.startMs < endMs && cue.endMs > startMs) {
        count += 1;
        length += cue.text.length;
        if (count > MAX_CUES || length > MAX_CAPTION_BYTES) throw new CaptionsError("captions_too_large");
      }
  return own
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
}
