/**
 * A machine-readable clock in a picture: a row of light and dark blocks. Pure, for Node and for browsers. Eight bits are a marker, forty
 * are milliseconds since 1970, eight are a checksum.
 */
const MARK = [1, 0, 1, 1, 0, 0, 1, 0] as const;
const TIME_BITS = 40;
const SUM_BITS = 8;
export const CODE_BITS = MARK.length + TIME_BITS + SUM_BITS;

/** Position of the row, as fractions of the picture's width and height. */
export const CODE_PLACE = { left: 0.05, right: 0.95, top: 0.02, bottom: 0.08 } as const;

const bitsOf = (value: number, count: number): (0 | 1)[] =>
  Array.from({ length: count }, (_, bit) => (Math.floor(value / 2 ** (count - 1 - bit)) % 2 === 1 ? 1 : 0));

const valueOf = (bits: readonly number[]): number => bits.reduce((value, bit) => value * 2 + bit, 0);

function sumOf(epochMs: number): number {
  let sum = 0;
  for (let rest = epochMs; rest > 0; rest = Math.floor(rest / 256)) sum = (sum * 31 + (rest % 256) + 7) % 256;
  return sum;
}

/** @param epochMs whole milliseconds, below 2^40 */
export const encodeClock = (epochMs: number): (0 | 1)[] => [
  ...MARK,
  ...bitsOf(epochMs % 2 ** TIME_BITS, TIME_BITS),
  ...bitsOf(sumOf(epochMs % 2 ** TIME_BITS), SUM_BITS),
];

/**
 * @param bits the bits read from the picture
 * @param nowMs supplies the bits above the forty
 * @returns epoch ms, or null when the row is missing or damaged
 */
export function decodeClock(bits: readonly number[], nowMs: number): number | null {
  if (bits.length !== CODE_BITS || MARK.some((bit, index) => bits[index] !== bit)) return null;
  const low = valueOf(bits.slice(MARK.length, MARK.length + TIME_BITS));
  if (valueOf(bits.slice(-SUM_BITS)) !== sumOf(low)) return null;
  return Math.floor(nowMs / 2 ** TIME_BITS) * 2 ** TIME_BITS + low;
}
