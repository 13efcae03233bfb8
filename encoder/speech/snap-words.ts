/** Moves words out of silence: a model gives the first word behind a pause a part of the pause. Pure. */
import type { SpokenWord } from "../../protocol/speech.ts";
import { LOUDNESS_FRAME_MS } from "./loudness.ts";

/** A word begins at most this much later than the model says. */
const MOST_LATER_MS = 1500;
/** A sound begins softly, before it is loud. */
const ATTACK_MS = 20;
/** Shorter words are none. */
const LEAST_MS = 40;

/**
 * A word that begins in silence begins with the next sound, unless that is the next word's. One that ends in silence ends with the last sound before.
 *
 * @param words in order; times are those of the frames
 * @param isLoud for each frame
 */
export function snapWords(words: readonly SpokenWord[], isLoud: readonly boolean[]): SpokenWord[] {
  const frameOf = (ms: number) => Math.max(0, Math.min(isLoud.length - 1, Math.floor(ms / LOUDNESS_FRAME_MS)));
  let freeMs = 0;
  return words.map(([start, end, text, hasSpace], position): SpokenWord => {
    const nextMs = words[position + 1]?.[0] ?? Infinity;
    const startMs = Math.max(freeMs, soundFrom(Math.max(start, freeMs), Math.max(end, nextMs)));
    const endMs = Math.max(startMs + LEAST_MS, soundUntil(end, startMs));
    freeMs = startMs;
    return [startMs, endMs, text, hasSpace];
  });

  function soundFrom(ms: number, beforeMs: number): number {
    if (isLoud.length === 0 || isLoud[frameOf(ms)] === true) return ms;
    const last = frameOf(Math.min(ms + MOST_LATER_MS, beforeMs));
    const found = isLoud.indexOf(true, frameOf(ms));
    return found < 0 || found > last ? ms : Math.max(ms, found * LOUDNESS_FRAME_MS - ATTACK_MS);
  }

  function soundUntil(ms: number, afterMs: number): number {
    if (isLoud.length === 0) return ms;
    let at = frameOf(ms);
    const first = frameOf(afterMs);
    while (at > first && isLoud[at] !== true) at -= 1;
    return at === first ? ms : Math.min(ms, (at + 1) * LOUDNESS_FRAME_MS);
  }
}
