/** How sound is brought to a loudness (EBU R128). Pure. */
import type { LoudnessTarget, MeasuredLoudness } from "../jobs.ts";

/** Sound below the gate of the standard is silence, which stays as it is. */
const SILENCE_LUFS = -70;
/** AAC does not keep peaks exactly, so the limiter stays below the target. */
const CODEC_RESERVE_DB = 0.5;
/** A limiter sees the peaks between samples at four times the rate (ITU-R BS.1770, annex 2). */
const OVERSAMPLING = 4;

/** Sound that is all peaks cannot reach the target without distortion. */
const MOST_CORRECTED_DB = 3;

export interface LevelPlan {
  gainDb: number;
  /** The gain would pass the highest peak that is allowed. */
  isLimited: boolean;
}

export function planLevel(
  { integratedLufs, truePeakDb }: MeasuredLoudness,
  { targetLufs, maxTruePeakDb }: LoudnessTarget,
): LevelPlan {
  if (!(integratedLufs > SILENCE_LUFS)) return { gainDb: 0, isLimited: false };
  const gainDb = Math.round((targetLufs - integratedLufs) * 100) / 100;
  return { gainDb, isLimited: truePeakDb + gainDb > maxTruePeakDb - CODEC_RESERVE_DB };
}

/** @param limited what the sound has with the first plan */
export function corrected(first: LevelPlan, limited: MeasuredLoudness, { targetLufs }: LoudnessTarget): LevelPlan {
  const missingDb = Math.max(0, Math.min(MOST_CORRECTED_DB, targetLufs - limited.integratedLufs));
  return { ...first, gainDb: Math.round((first.gainDb + missingDb) * 100) / 100 };
}

/** libav's filters; "" = the sound stays as it is. */
export function levelFilters(
  { gainDb, isLimited }: LevelPlan,
  { maxTruePeakDb }: Pick<LoudnessTarget, "maxTruePeakDb">,
  sampleRateHz: number,
): string {
  const gain = gainDb === 0 ? [] : [`volume=${gainDb}dB:precision=float`];
  const limit = 10 ** ((maxTruePeakDb - CODEC_RESERVE_DB) / 20);
  const limiter = [
    `aresample=${sampleRateHz * OVERSAMPLING}`,
    `alimiter=limit=${limit.toFixed(4)}:level=disabled:latency=1:attack=5:release=50`,
    `aresample=${sampleRateHz}`,
  ];
  return [...gain, ...(isLimited ? limiter : [])].join(",");
}
