/** Chooses the constant output rate for a source of any rate. */
import type { Fraction } from "../../protocol/jobs.ts";
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

export interface RateEvidence {
  /** Declared by the container: frames divided by duration; 0 = unknown. */
  declared: number;
  /** Presentation times of consecutive frames, in seconds, ascending. */
  timesSeconds: number[];
}

const hz = ({ num, den }: Fraction) => num / den;

/**
 * A source of constant rate keeps it, divided by an integer until it is at most 60, or multiplied when it is below 10. A source of variable
 * rate gets the standard rate nearest to its average, at most 60.
 */
export function outputRate({ declared, timesSeconds }: RateEvidence): { frameRate: Fraction; isVariable: boolean } {
  const gaps = timesSeconds
    .slice(1)
    .map((time, i) => time - timesSeconds[i]!)
    .filter((gap) => gap > 1e-6);
  const usual = median(gaps);
  if (usual === undefined) return { frameRate: steadyRate(declared > 0 ? declared : 25), isVariable: false };
  const isRegular = (gap: number) => Math.abs(gap - usual) <= Math.max(usual * IRREGULAR, TIMESTAMP_ROUNDING_SECONDS);
  const regular = gaps.filter(isRegular);
  const irregular = gaps.length - regular.length;
  const measuredSeconds = sum(regular);
  const disagrees = declared > 0 && Math.abs(declared * usual - 1) > IRREGULAR;
  if (irregular > Math.max(1, gaps.length * 0.05) || disagrees)
    return { frameRate: nearestStandard(disagrees ? declared : gaps.length / sum(gaps)), isVariable: true };
  // The declared rate counts frames over the whole file and is wrong for a truncated one. The measured rate is as precise as the timestamps.
  const measured = regular.length / measuredSeconds;
  const uncertainty = Math.max(SAME_RATE, TIMESTAMP_ROUNDING_SECONDS / measuredSeconds);
  const agrees = declared > 0 && Math.abs(declared / measured - 1) <= uncertainty * 2;
  return { frameRate: agrees ? steadyRate(declared) : steadyRate(measured, uncertainty), isVariable: false };
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

function nearestStandard(rate: number): Fraction {
  return STANDARD_RATES.reduce((best, candidate) =>
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

const sum = (values: number[]) => values.reduce((total, value) => total + value, 0);

function median(values: number[]): number | undefined {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
}
