/** How loud sound is that is mixed into other sound. Pure. */

/** In samples of the output. */
export interface ImposedSpan {
  start: number;
  /** Exclusive; Infinity = unknown. */
  end: number;
  fadeIn: number;
  fadeOut: number;
}

/** @returns 0 to 1; linear during the fades, and the smaller one where they overlap */
export function imposedGain(sample: number, { start, end, fadeIn, fadeOut }: ImposedSpan): number {
  if (sample < start || sample >= end) return 0;
  const rising = fadeIn === 0 ? 1 : (sample - start) / fadeIn;
  const falling = fadeOut === 0 ? 1 : (end - sample) / fadeOut;
  return Math.min(1, rising, falling);
}
