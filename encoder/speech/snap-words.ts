/** Moves words out of silence: a model gives the first word behind a pause a part of the pause. Pure. */
import type { SpokenWord } from "../../protocol/speech.ts";
import { LOUDNESS_FRAME_MS } from "./loudness.ts";

/** A word moves by at most this. */
const MOST_MOVED_MS = 1500;
/** A sound begins softly, before it is loud. */
const ATTACK_MS = 20;
/** Shorter words are none. */
const LEAST_MS = 40;

/**
 * A word that begins in silence begins with the next sound. Where that is the next word's, it shares the sound before with the word before. One that ends in
 * silence ends with the last sound before.
 *
 * @param words in order; times are those of the frames
 * @param isLoud for each frame
 */
export function snapWords(words: readonly SpokenWord[], isLoud: readonly boolean[]): SpokenWord[] {
  if (isLoud.length === 0) return [...words];
  const frameOf = (ms: number) => Math.max(0, Math.min(isLoud.length - 1, Math.floor(ms / LOUDNESS_FRAME_MS)));
  const snapped: SpokenWord[] = [];
  for (const [position, [start, end, text, hasSpace]] of words.entries()) {
    const last = snapped.at(-1);
    const fromMs = Math.max(start, last?.[0] ?? 0);
    const nextMs = words[position + 1]?.[0] ?? Infinity;
    const startMs = soundFrom(fromMs, end, nextMs);
    const beforeMs = startMs === null && last !== undefined ? soundUntil(fromMs, last[0]) : null;
    if (startMs === null && last !== undefined && beforeMs !== null && fromMs - beforeMs <= MOST_MOVED_MS) {
      const share = last[2].length / (last[2].length + text.length);
      const borderMs = Math.round(last[0] + (beforeMs - last[0]) * share);
      last[1] = borderMs;
      snapped.push([borderMs, Math.max(borderMs + LEAST_MS, beforeMs), text, hasSpace]);
      continue;
    }
    const snappedMs = startMs ?? fromMs;
    const lastMs = Math.max(snappedMs, Math.min(end, nextMs)); // sentences are moved without the words before them
    snapped.push([snappedMs, Math.max(snappedMs + LEAST_MS, soundUntil(lastMs, snappedMs) ?? lastMs), text, hasSpace]);
  }
  return snapped;

  /** The moment itself when it is loud, or else the next loud one. Null = there is none up to the end of the word, or the next word begins there. */
  function soundFrom(ms: number, endMs: number, nextMs: number): number | null {
    if (isLoud[frameOf(ms)] === true) return ms;
    const found = isLoud.indexOf(true, frameOf(ms));
    const last = frameOf(Math.min(ms + MOST_MOVED_MS, Math.max(endMs, nextMs)));
    if (found < 0 || found > last || found === frameOf(nextMs)) return null;
    return Math.max(ms, found * LOUDNESS_FRAME_MS - ATTACK_MS);
  }

  /** The end of the last loud frame before the moment. Null = there is none from the other moment on. */
  function soundUntil(ms: number, afterMs: number): number | null {
    let at = frameOf(ms - 1);
    const first = frameOf(afterMs);
    while (at >= first && isLoud[at] !== true) at -= 1;
    return at < first ? null : Math.min(ms, (at + 1) * LOUDNESS_FRAME_MS);
  }
}
