/** Chooses the constant output rate for a source of any rate. */
import type { Fraction } from "../../protocol/source-facts.ts";
import { STANDARD_RATES } from "../../protocol/standard-rates.ts";

const MAX_RATE = 60;
/** At lower rates a GOP of two seconds would have only a few frames. */
const MIN_RATE = 10;
const SAME_RATE = 0.0004; // 24 and 24000/1001 are 0.001 apart
const SLIGHTLY_TOO_FAST = 0.02; // 60.4 becomes 60, not 30.2
const MAX_DENOMINATOR = 1001;
/** Relative deviation of a frame interval beyond which it is no longer timestamp rounding. */
const IRREGULAR = 0.2;
const TIMESTAMP_ROUNDING_SECONDS = 0.0011; // Matroska, FLV: milliseconds
const MOSTLY = 0.9;
/** How close places within a frame have to be: 1 = all are the same, 0 = they are anywhere. */
const MIN_CONCENTRATION = 0.5;
/** Deviation of timestamps that are ticks of a clock of the rate. */
const EXACT_FRAMES = 0.002;
/** Precision of an average of a few hundred irregular intervals. */
const SAME_AVERAGE = 0.01;

export interface RateEvidence {
  /** Declared by the container: frames divided by duration; 0 = unknown. */
  declared: number;
  /** Presentation times of consecutive frames, in seconds, ascending. */
  timesSeconds: number[];
}

export interface OutputRate {
  frameRate: Fraction;
  isVariable: boolean;
}

const hz = ({ num, den }: Fraction) => num / den;

/**
 * A source of constant rate keeps it, divided by an integer until it is at most 60, or multiplied when it is below 10. A source of variable
 * rate gets the rate of the interval that most of its pictures have, because the others are holes in it: a lower rate would lose pictures. Where no interval
 * has a majority, it is the standard rate that loses none on average, at most 60.
 */
export function outputRate({ declared, timesSeconds }: RateEvidence): OutputRate {
  const gaps = timesSeconds
    .slice(1)
    .map((time, i) => time - timesSeconds[i]!)
    .filter((gap) => gap > 1e-6);
  if (gaps.length === 0) return { frameRate: steadyRate(declared > 0 ? declared : 25), isVariable: false };
  const usual = usualInterval(gaps);
  const regular = gaps.filter((gap) => isAbout(gap, usual));
  const irregular = gaps.length - regular.length;
  const isDeclared = declared === 0 || Math.abs(declared * usual - 1) <= IRREGULAR;
  const isSteady = isDeclared && irregular <= Math.max(1, gaps.length * 0.05);
  if (!isSteady) return { frameRate: variableRate(gaps, regular, usual, declared), isVariable: true };
  // The declared rate counts frames over the whole file and is wrong for a truncated one. The measured rate is as precise as the timestamps.
  const measuredSeconds = sum(regular);
  const measured = regular.length / measuredSeconds;
  const uncertainty = Math.max(SAME_RATE, TIMESTAMP_ROUNDING_SECONDS / measuredSeconds);
  const agrees = declared > 0 && Math.abs(declared / measured - 1) <= uncertainty * 2;
  return { frameRate: agrees ? steadyRate(declared) : steadyRate(measured, uncertainty), isVariable: false };
}

function variableRate(gaps: number[], regular: number[], usual: number, declared: number): Fraction {
  const average = averageRate(gaps, regular);
  // Telecined film alternates between two intervals, and in a recording with jitter long ones make up for short ones.
  const haveHoles = gaps.filter((gap) => isMultiple(gap, usual)).length >= gaps.length * MOSTLY;
  const isBalanced = isNearStandard(average) && !haveHoles;
  const isDeclared = Math.abs(declared / average - 1) <= SAME_AVERAGE;
  if (isBalanced) return steadyRate(isDeclared ? declared : average, SAME_AVERAGE);
  // The pictures behind the first ones are more frequent.
  if (declared > Math.max(average, 1 / usual) * (1 + IRREGULAR)) return standardAtLeast(declared);
  const shorter = gaps.filter((gap) => gap < usual && !isAbout(gap, usual));
  const hasMajority = regular.length > gaps.length / 2 && shorter.length <= gaps.length * (1 - MOSTLY); // pictures of shorter intervals would be lost
  return hasMajority ? steadyRate(regular.length / sum(regular), SAME_AVERAGE) : standardAtLeast(average);
}

/** Two alternating intervals count as much as each other: one more of them at an end would make 24000/1001 into 24. */
function averageRate(gaps: number[], regular: number[]): number {
  const others = gaps.filter((gap) => !regular.includes(gap));
  const isPair = others.length > gaps.length * 0.4 && others.every((gap) => isAbout(gap, others[0]!));
  return isPair ? 2 / (mean(regular) + mean(others)) : 1 / mean(gaps);
}

/** The interval that most gaps have, as the mean of these. */
function usualInterval(gaps: number[]): number {
  const around = (interval: number) => gaps.filter((gap) => isAbout(gap, interval));
  const largest = gaps.map(around).reduce((best, group) => (group.length > best.length ? group : best));
  return mean(largest);
}

const isAbout = (gap: number, interval: number) =>
  Math.abs(gap - interval) <= Math.max(interval * IRREGULAR, TIMESTAMP_ROUNDING_SECONDS);

/** A hole of whole pictures. */
const isMultiple = (gap: number, interval: number) =>
  isAbout(gap - (Math.round(gap / interval) - 1) * interval, interval);

const isNearStandard = (rate: number) => Math.abs(hz(nearestStandard(rate)) / rate - 1) <= SAME_AVERAGE;

/** The nearest standard rate that loses no pictures of this rate, as far as its precision says; 60 at most. */
function standardAtLeast(rate: number): Fraction {
  const enough = STANDARD_RATES.filter((candidate) => hz(candidate) >= rate * (1 - SLIGHTLY_TOO_FAST));
  return enough.length === 0 ? STANDARD_RATES.at(-1)! : nearest(enough, rate);
}

/**
 * Where the pictures of a rate lie, in seconds after time 0 and less than a frame, if their times deviate from it by rounding, jitter or telecine. Null when they
 * do not deviate, or lie anywhere, or at several places, as those of a rate that is divided.
 */
export function pictureGrid(timesSeconds: number[], rate: Fraction): number | null {
  const frames = timesSeconds.map((time) => time * hz(rate));
  const turn = 2 * Math.PI;
  const [x, y] = [sum(frames.map((at) => Math.cos(at * turn))), sum(frames.map((at) => Math.sin(at * turn)))];
  if (Math.hypot(x, y) < frames.length * MIN_CONCENTRATION) return null;
  const place = (Math.atan2(y, x) / turn + 1) % 1;
  const isExact = frames.every((at) => Math.abs(at - place - Math.round(at - place)) <= EXACT_FRAMES);
  return isExact ? null : place / hz(rate);
}

/** @param uncertainty relative; a standard rate within it is chosen */
function steadyRate(rate: number, uncertainty = SAME_RATE): Fraction {
  const standard = nearestStandard(rate);
  if (Math.abs(hz(standard) / rate - 1) < uncertainty) return standard;
  if (rate > MAX_RATE) {
    const divisor = Math.ceil(rate / MAX_RATE - SLIGHTLY_TOO_FAST);
    return divisor === 1 ? { num: MAX_RATE, den: 1 } : steadyRate(rate / divisor, uncertainty);
  }
  if (rate < MIN_RATE) return closeFraction(rate * Math.ceil(MIN_RATE / Math.max(rate, 0.01)));
  return closeFraction(rate);
}

const nearestStandard = (rate: number) => nearest(STANDARD_RATES, rate);

function nearest(rates: readonly Fraction[], rate: number): Fraction {
  return rates.reduce((best, candidate) =>
    Math.abs(hz(candidate) - rate) < Math.abs(hz(best) - rate) ? candidate : best,
  );
}

/** The simplest fraction within 10 ppm: 12.5 → 25/2, 14.985 → 15000/1001. */
function closeFraction(value: number): Fraction {
  for (let den = 1; den <= MAX_DENOMINATOR; den++) {
    const num = Math.round(value * den);
    if (num > 0 && Math.abs(num / den / value - 1) < 1e-5) return { num, den };
  }
  return { num: Math.max(1, Math.round(value * 1000)), den: 1000 };
}

const mean = (values: number[]) => sum(values) / values.length;
const sum = (values: number[]) => values.reduce((total, value) => total + value, 0);
