/** Captions of a broadcast, as its picture carries them: CEA-608, channel CC1 (CTA-608-E). */

const RESUME_LOADING = [0x14, 0x20];
const ERASE_HIDDEN = [0x14, 0x2e];
const ROW_15 = [0x14, 0x70];
const SHOW = [0x14, 0x2f];
const FIELD_1 = 0xfc; // of `cc_data`: valid, field 1 (CTA-708-E §4.4)

/** `cc_data` triplets of one picture that replace the shown text. @param text ASCII, at most 32 characters */
export function popOn(text: string): Buffer {
  const codes = Array.from(text, (char) => char.charCodeAt(0));
  const words = Array.from({ length: Math.ceil(codes.length / 2) }, (_, n) => [codes[2 * n]!, codes[2 * n + 1] ?? 0]);
  const twice = (command: number[]) => [command, command]; // control words are sent twice
  const all = [...[RESUME_LOADING, ERASE_HIDDEN, ROW_15].flatMap(twice), ...words, ...twice(SHOW)];
  return Buffer.from(all.flatMap(([first, second]) => [FIELD_1, withParity(first!), withParity(second!)]));
}

/** Sets the parity bit for odd parity. */
function withParity(code: number): number {
  let ones = 0;
  for (let bit = 0; bit < 7; bit += 1) ones += (code >> bit) & 1;
  return ones % 2 === 1 ? code : code | 0x80;
}
