/** Sound in which each stretch of time has a tone of its own, and the tone that is heard at a time. */
import type { DecodedSound } from "./rendition.ts";

export interface Tone {
  fromSeconds: number;
  hz: number;
}

/** The expression of libavfilter's `aevalsrc`; each tone lasts until the next. */
export const tonesExpression = (tones: readonly Tone[]): string =>
  tones
    .map(({ fromSeconds, hz }, n) => {
      const isOver = tones[n + 1] === undefined ? "" : `*lt(t,${tones[n + 1]!.fromSeconds})`;
      return `0.4*sin(2*PI*${hz}*t)*gte(t,${fromSeconds})${isOver}`;
    })
    .join("+");

/** Long enough to tell tones of 200 Hz apart, and shorter than what subtitles may be off by. */
const WINDOW_SECONDS = 0.03;
const AUDIBLE = 0.05;

/** The frequency that begins at a time, from its zero crossings; 0 = silence. */
export function toneAt({ samples, sampleRateHz, startSeconds }: DecodedSound, seconds: number): number {
  const first = Math.round((seconds - startSeconds) * sampleRateHz);
  const heard = samples.subarray(Math.max(0, first), first + Math.round(WINDOW_SECONDS * sampleRateHz));
  if (!heard.some((sample) => Math.abs(sample) > AUDIBLE)) return 0;
  let [crossings, from, to] = [0, 0, 0];
  for (let n = 1; n < heard.length; n += 1) {
    if (heard[n - 1]! < 0 === heard[n]! < 0) continue;
    if (crossings === 0) from = n;
    to = n;
    crossings += 1;
  }
  return crossings < 2 ? 0 : ((crossings - 1) / 2) * (sampleRateHz / (to - from));
}
