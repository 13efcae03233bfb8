/** Error protection of teletext (ETSI EN 300 706 §8). */

/** Code words of the values 0 to 15 (§8.2). */
export const HAMMING_8_4 = [
  0x15, 0x02, 0x49, 0x5e, 0x64, 0x73, 0x38, 0x2f, 0xd0, 0xc7, 0x8c, 0x9b, 0xa1, 0xb6, 0xfd, 0xea,
];

/** The value of each byte, with one wrong bit corrected; -1 = damaged. */
const VALUES = Int8Array.from({ length: 256 }, (_, byte) =>
  HAMMING_8_4.findIndex((word) => ((word ^ byte) & ((word ^ byte) - 1)) === 0),
);

/** @returns 0 to 15; -1 for a damaged byte, and behind the end */
export const hamming8 = (byte: number | undefined): number => (byte === undefined ? -1 : VALUES[byte]!);

/** 18 bits out of three bytes (§8.3); -1 when they are damaged. */
export function hamming24(first: number, second: number, third: number): number {
  const word = first | (second << 8) | (third << 16);
  let positions = 0;
  for (let position = 1; position < 24; position += 1) if ((word >> (position - 1)) & 1) positions ^= position;
  if (positions !== 0b11111) return -1;
  return ((first >> 2) & 0x01) | ((first >> 3) & 0x0e) | ((second & 0x7f) << 4) | ((third & 0x7f) << 11);
}

/** The lower seven bits; a space when their parity is not odd. */
export function character(byte: number): number {
  let folded = byte ^ (byte >> 4);
  folded ^= folded >> 2;
  return ((folded ^ (folded >> 1)) & 1) === 1 ? byte & 0x7f : 0x20;
}

/** Bytes are sent with the least significant bit first, and stored the other way (ETSI EN 300 472 §4.3). */
export const reversed = (byte: number): number => {
  let out = 0;
  for (let bit = 0; bit < 8; bit += 1) out |= ((byte >> bit) & 1) << (7 - bit);
  return out;
};
