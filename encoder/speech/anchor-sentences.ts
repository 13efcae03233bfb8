/** Moves sentences to the sounds behind pauses: within a window, the model's times may drift by seconds. Pure. */
import type { SpokenWord } from "../../protocol/speech.ts";
import { LOUDNESS_FRAME_MS } from "./loudness.ts";

/** Shorter silences are within words. */
const BRIDGED_MS = 120;
/** A sentence begins behind a pause of this length. */
const PAUSE_MS = 250;
/** What it costs to leave a sentence where the model has it, in milliseconds that it would move. */
const UNANCHORED_COST = 2500;
/** A sentence that moves by less keeps the times of its words. */
const MOVED_MS = 250;
const SENTENCE_END = /[.!?…。！？]["'”’)]*$/u;

interface Stretch {
  startMs: number;
  endMs: number;
}

/** @param isLoud for each frame of the window */
export function anchorSentences(words: readonly SpokenWord[], isLoud: readonly boolean[]): SpokenWord[] {
  const stretches = stretchesOf(isLoud);
  const starts = stretches.filter(({ startMs }, n) => n === 0 || startMs - stretches[n - 1]!.endMs >= PAUSE_MS);
  const sentences = sentencesOf(words);
  const anchors = anchorsOf(
    sentences.map((sentence) => sentence[0]![0]),
    starts.map(({ startMs }) => startMs),
  );
  return sentences.flatMap((sentence, n) => {
    const anchor = anchors[n] ?? null;
    if (anchor === null) return sentence;
    const isLast = n === sentences.length - 1;
    const nextMs = isLast ? Infinity : (anchors[n + 1] ?? null);
    const endMs =
      nextMs === null ? sentence.at(-1)![1] : (stretches.findLast((one) => one.endMs <= nextMs)?.endMs ?? anchor);
    if (Math.abs(anchor - sentence[0]![0]) <= MOVED_MS && isWithin(sentence, endMs)) return sentence;
    const own = stretches.filter((one) => one.endMs > anchor && one.startMs < endMs);
    return spread(
      sentence,
      own.map((one) => ({ startMs: Math.max(one.startMs, anchor), endMs: Math.min(one.endMs, endMs) })),
    );
  });
}

/** Whether all words begin before the end of the sound, one after another. */
function isWithin(sentence: readonly SpokenWord[], endMs: number): boolean {
  const isCrowded = sentence.some(([start], n) => n > 1 && start === sentence[n - 2]![0]);
  return sentence.at(-1)![0] < endMs && !isCrowded;
}

function stretchesOf(isLoud: readonly boolean[]): Stretch[] {
  const stretches: Stretch[] = [];
  for (const [frame, loud] of isLoud.entries()) {
    if (!loud) continue;
    const startMs = frame * LOUDNESS_FRAME_MS;
    const last = stretches.at(-1);
    if (last !== undefined && startMs - last.endMs <= BRIDGED_MS) last.endMs = startMs + LOUDNESS_FRAME_MS;
    else stretches.push({ startMs, endMs: startMs + LOUDNESS_FRAME_MS });
  }
  return stretches;
}

function sentencesOf(words: readonly SpokenWord[]): SpokenWord[][] {
  const sentences: SpokenWord[][] = [];
  let isOpen = false;
  for (const word of words) {
    if (isOpen) sentences.at(-1)!.push(word);
    else sentences.push([word]);
    isOpen = !SENTENCE_END.test(word[2]);
  }
  return sentences;
}

/** For each time the place that it moves to, in order, so that they move least in all; null = it stays. */
function anchorsOf(times: readonly number[], places: readonly number[]): (number | null)[] {
  // costs[i][j]: the least for the first i times with the first j places.
  const costs: number[][] = [Array.from({ length: places.length + 1 }, () => 0)];
  for (const [i, time] of times.entries()) {
    const row: number[] = [];
    for (let j = 0; j <= places.length; j += 1) {
      const stays = costs[i]![j]! + UNANCHORED_COST;
      const moves = j === 0 ? Infinity : costs[i]![j - 1]! + Math.abs(time - places[j - 1]!);
      row.push(Math.min(stays, moves, j === 0 ? Infinity : row[j - 1]!));
    }
    costs.push(row);
  }
  const anchors: (number | null)[] = times.map(() => null);
  for (let [i, j] = [times.length, places.length]; i > 0;) {
    const cost = costs[i]![j]!;
    if (j > 0 && cost === costs[i]![j - 1]) j -= 1;
    else if (j > 0 && cost === costs[i - 1]![j - 1]! + Math.abs(times[i - 1]! - places[j - 1]!)) {
      anchors[i - 1] = places[j - 1]!;
      i -= 1;
      j -= 1;
    } else i -= 1;
  }
  return anchors;
}

/** A word takes as long as its letters, and a little more. */
const weightOf = ([, , text]: SpokenWord): number => text.length + 2;

/** Shares the sound of the stretches out among the words. */
function spread(words: readonly SpokenWord[], stretches: readonly Stretch[]): SpokenWord[] {
  const soundMs = stretches.reduce((sum, { startMs, endMs }) => sum + endMs - startMs, 0);
  if (soundMs <= 0) return [...words];
  const whole = words.reduce((sum, word) => sum + weightOf(word), 0);
  const timeAt = (share: number, isEnd: boolean): number => {
    let left = share * soundMs;
    for (const { startMs, endMs } of stretches) {
      const length = endMs - startMs;
      if (left < length || (isEnd && left <= length)) return startMs + left;
      left -= length;
    }
    return stretches.at(-1)!.endMs;
  };
  let before = 0;
  return words.map(([, , text, hasSpace], n): SpokenWord => {
    const start = timeAt(before / whole, false);
    before += weightOf(words[n]!);
    return [Math.round(start), Math.round(timeAt(before / whole, true)), text, hasSpace];
  });
}
