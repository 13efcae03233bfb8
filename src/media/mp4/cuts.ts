import type { Fraction } from "../../../protocol/source-facts.ts";
import { STANDARD_RATES } from "../../../protocol/standard-rates.ts";

const TARGET_SECONDS = 4;

/**
 * Selects the key frames at which segments begin, so that each segment is as close to 4 s as possible. A final segment shorter than 1 s is
 * merged with the previous one when the two last less than 8 s together.
 *
 * @param keyTicks presentation times of the key frames, ascending from 0; the end in ticks as well
 * @returns positions in `keyTicks`, the first one 0
 */
export function chooseCuts(keyTicks: ArrayLike<number>, endTicks: number, timescale: number): number[] {
  const keySeconds = (key: number) => keyTicks[key]! / timescale;
  const endSeconds = endTicks / timescale;
  const cuts = [0];
  let start = 0;
  for (let key = 1; key < keyTicks.length; key++) {
    const here = keySeconds(key) - start;
    const next = (key + 1 < keyTicks.length ? keySeconds(key + 1) : endSeconds) - start;
    if (Math.abs(here - TARGET_SECONDS) > Math.abs(next - TARGET_SECONDS) + 1e-6) continue;
    const tail = endSeconds - keySeconds(key);
    if (tail < 1 && here + tail < 2 * TARGET_SECONDS) continue;
    start = keySeconds(key);
    cuts.push(key);
  }
  return cuts;
}

/**
 * The cuts at the ladder's segment boundaries, or null when the source has no key frame at one of them.
 *
 * @param keyFrames frame numbers of the key frames in presentation order, ascending from 0
 */
export function gridCuts(keyFrames: ArrayLike<number>, frameCount: number, framesPerSegment: number): number[] | null {
  const cuts: number[] = [];
  let key = 0;
  for (let frame = 0; frame < frameCount; frame += framesPerSegment) {
    while (key < keyFrames.length && keyFrames[key]! < frame) key += 1;
    if (keyFrames[key] !== frame) return null;
    cuts.push(key);
  }
  return cuts;
}

/** An average rate as a fraction: a standard rate within 0.05 %, otherwise in thousandths. */
export function nearestRate(framesPerSecond: number): Fraction {
  const standard = STANDARD_RATES.find(({ num, den }) => Math.abs((framesPerSecond * den) / num - 1) < 0.0005);
  return standard ?? { num: Math.max(1, Math.round(framesPerSecond * 1000)), den: 1000 };
}

export function exactRate(timescale: number, frameTicks: number): Fraction {
  const divisor = greatestCommonDivisor(timescale, frameTicks);
  return { num: timescale / divisor, den: frameTicks / divisor };
}

const greatestCommonDivisor = (a: number, b: number): number => (b === 0 ? a : greatestCommonDivisor(b, a % b));
