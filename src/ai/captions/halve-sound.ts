import { SPEECH_KEPT_MS, type SpeechSpan } from "../../../protocol/speech.ts";

/** A part of a piece; times are those of the piece. */
interface Part {
  fromMs: number;
  toMs: number;
}

/**
 * Where a part of a piece is cut in two: in the pause nearest to its middle, if one lies in the middle half, and otherwise as near to the middle as possible. Pure.
 *
 * @param borders where its file can be cut
 * @param spans of the piece: between two of them, a pause was cut away, and its ends were kept
 * @param leastMs no half is shorter
 * @returns null when it is too short
 */
export function middleOf(
  borders: readonly number[],
  { fromMs, toMs }: Part,
  { spans, leastMs }: { spans: readonly SpeechSpan[]; leastMs: number },
): number | null {
  const quarterMs = (toMs - fromMs) / 4;
  const within = (marginMs: number) => borders.filter((ms) => ms - fromMs >= marginMs && toMs - ms >= marginMs);
  const isInPause = (ms: number) => spans.slice(1).some(([atMs]) => Math.abs(ms - atMs) <= SPEECH_KEPT_MS);
  const pauses = within(Math.max(leastMs, quarterMs)).filter(isInPause);
  const choice = pauses.length > 0 ? pauses : within(leastMs);
  const farMs = (ms: number) => Math.abs(ms - (fromMs + toMs) / 2);
  return choice.toSorted((a, b) => farMs(a) - farMs(b))[0] ?? null;
}
