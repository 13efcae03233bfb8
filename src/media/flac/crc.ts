/** Sums of FLAC (RFC 9639 §9.1.8, §9.3): of a frame with its own sum, each is 0. */

/** Sums of each byte by itself. */
function tableOf(bits: 8 | 16, polynomial: number): Uint16Array {
  const top = 1 << (bits - 1);
  const mask = (1 << bits) - 1;
  return Uint16Array.from({ length: 256 }, (_, byte) => {
    let sum = byte << (bits - 8);
    for (let bit = 0; bit < 8; bit += 1) sum = ((sum << 1) ^ ((sum & top) === 0 ? 0 : polynomial)) & mask;
    return sum;
  });
}

const CRC_8 = tableOf(8, 0x07);
const CRC_16 = tableOf(16, 0x8005);

/** Of the header of a frame. */
export function crc8(bytes: Uint8Array): number {
  let sum = 0;
  for (const byte of bytes) sum = CRC_8[sum ^ byte]!;
  return sum;
}

/** The sum with one more byte. */
export const addToCrc16 = (sum: number, byte: number): number => ((sum << 8) & 0xffff) ^ CRC_16[(sum >> 8) ^ byte]!;

/** Of a whole frame. */
export function crc16(bytes: Uint8Array): number {
  let sum = 0;
  for (let at = 0; at < bytes.length; at += 1) sum = addToCrc16(sum, bytes[at]!);
  return sum;
}
