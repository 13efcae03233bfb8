import type { Fraction } from "../../../protocol/jobs.ts";
import { STANDARD_RATES } from "../../../protocol/standard-rates.ts";

const TARGET_SECONDS = 4;

/**
 * At which key frames segments begin: from key frame to key frame, each as near to 4 s as the key frames allow. A tail
 * shorter than 1 s joins the segment before it when the two stay below 8 s.
 *
 * @param keyTicks presentation times of the key frames, rising, the first one 0; the end in ticks as well
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
 * The cuts that fall together with the ladder's segments, or null when a segment of the ladder begins where the source
 * has no key frame.
 *
 * @param keyFrames numbers of the key frames in presentation order, rising, the first one 0
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

/** The fraction for an average rate: a standard rate within 0.05 %, else thousandths. */
export function nearestRate(framesPerSecond: number): Fraction {
  const standard = STANDARD_RATES.find(({ num, den }) => Math.abs((framesPerSecond * den) / num - 1) < 0.0005);
  return standard ?? { num: Math.max(1, Math.round(framesPerSecond * 1000)), den: 1000 };
}

export function exactRate(timescale: number, frameTicks: number): Fraction {
  const divisor = greatestCommonDivisor(timescale, frameTicks);
  return { num: timescale / divisor, den: frameTicks / divisor };
}

const greatestCommonDivisor = (a: number, b: number): number => (b === 0 ? a : greatestCommonDivisor(b, a % b));
