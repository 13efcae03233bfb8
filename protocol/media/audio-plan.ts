/** Pure rules of the sound: rates, layouts, lengths and cuts. */
import type { Fraction } from "../jobs.ts";

export const AAC_FRAME_SAMPLES = 1024;

/** 44.1 kHz and its divisions and multiples become 44.1 kHz, everything else 48 kHz. */
export function outputRateHz(sourceRateHz: number): 44100 | 48000 {
  return sourceRateHz % 11025 === 0 ? 44100 : 48000;
}

export const outputChannels = (sourceChannels: number): 1 | 2 => (sourceChannels === 1 ? 1 : 2);

/** Where segment k - 1 ends and segment k begins: the AAC frame nearest to k times the nominal length, counted from the start. */
export function nominalEnd(k: number, sampleRateHz: number, { num, den }: Fraction): number {
  return Math.max(k, Math.round((k * num * sampleRateHz) / (den * AAC_FRAME_SAMPLES)));
}

/**
 * libav's filters from decoded sound to AAC frames. Holes of more than 20 ms are filled with silence and overlaps dropped, silence
 * is put before sound that starts after time 0, what lies before time 0 is dropped; coefficients of a downmix sum to 1, so nothing clips.
 *
 * @param samples exact length of the output; null = as long as the sound
 */
export function soundFilters(
  output: { sampleRateHz: number; channels: number },
  samples: { exactly: number | null; atMost: number | null },
): string {
  const layout = output.channels === 1 ? "mono" : "stereo";
  return [
    `aresample=${output.sampleRateHz}:async=1:min_hard_comp=0.02:first_pts=0:rematrix_maxval=1.0:out_chlayout=${layout}:out_sample_fmt=fltp`,
    ...(samples.exactly === null ? [] : [`apad=whole_len=${samples.exactly}`]),
    ...(samples.atMost === null ? [] : [`atrim=end_sample=${samples.atMost}`]),
    `asetnsamples=n=${AAC_FRAME_SAMPLES}:p=1`,
  ].join(",");
}
