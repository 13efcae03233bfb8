/** Plans audio output: rates, layouts, durations and cuts. Pure. */
import type { Fraction } from "../source-facts.ts";

export const AAC_FRAME_SAMPLES = 1024;

/** 44.1 kHz for the 44.1 kHz family, otherwise 48 kHz. */
export function outputRateHz(sourceRateHz: number): 44100 | 48000 {
  return sourceRateHz % 11025 === 0 ? 44100 : 48000;
}

export const outputChannels = (sourceChannels: number): 1 | 2 => (sourceChannels === 1 ? 1 : 2);

/** Boundary between segments k - 1 and k: the AAC frame nearest to k times the nominal duration, counted from the start. */
export function nominalEnd(k: number, sampleRateHz: number, { num, den }: Fraction): number {
  return Math.max(k, Math.round((k * num * sampleRateHz) / (den * AAC_FRAME_SAMPLES)));
}

/**
 * libav's filters from decoded sound to the output's format, from time 0 on. Gaps of more than 20 ms and a late start are filled with silence; overlaps
 * and sound before time 0 are dropped. Downmix coefficients sum to 1, which prevents clipping.
 *
 * @param sourceChannels of the decoded sound
 */
export function resample(
  { sampleRateHz, channels }: { sampleRateHz: number; channels: number },
  sourceChannels: number,
): string {
  const layout = channels === 1 ? "mono" : "stereo";
  // libav's own matrix makes mono 3 dB quieter in each of two channels.
  const spread = sourceChannels === 1 && channels === 2 ? "pan=stereo|c0=c0|c1=c0," : "";
  return `${spread}aresample=${sampleRateHz}:async=1:min_hard_comp=0.02:first_pts=0:rematrix_maxval=1.0:out_chlayout=${layout}:out_sample_fmt=fltp`;
}

/** libav's filters that cut sound into AAC frames. */
export const AAC_FRAMES = `asetnsamples=n=${AAC_FRAME_SAMPLES}:p=1`;

/**
 * libav's filters from sound in the output's format to AAC frames.
 *
 * @param samples exact and maximum length of the output; null = the length of the sound
 */
export const endFilters = (samples: { exactly: number | null; atMost: number | null }): string =>
  [
    ...(samples.exactly === null ? [] : [`apad=whole_len=${samples.exactly}`]),
    ...(samples.atMost === null ? [] : [`atrim=end_sample=${samples.atMost}`]),
    AAC_FRAMES,
  ].join(",");
