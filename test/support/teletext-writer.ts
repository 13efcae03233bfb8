/** Writes subtitle pages of teletext as PES payloads (ETSI EN 300 472, EN 300 706). */
import { HAMMING_8_4, reversed } from "../../protocol/media/captions/teletext-coding.ts";
import { withParity } from "./cc-writer.ts";

export interface PageOptions {
  /** Three digits. */
  page?: string;
  /** Control bits C12 to C14. */
  nationalOption?: number;
  isSubtitle?: boolean;
  isErased?: boolean;
}

const [START_BOX, END_BOX, DOUBLE_HEIGHT] = [0x0b, 0x0a, 0x0d];
const hamming = (...values: number[]) => values.map((value) => HAMMING_8_4[value]!);

function packet(magazine: number, number: number, data: number[]): number[] {
  const address = hamming((magazine & 7) | ((number & 1) << 3), number >> 1);
  return [0x03, 0x2c, 0xe7, 0xe4, ...[...address, ...data].map(reversed)];
}

const row = (codes: number[]) => [...codes, ...Array<number>(40 - codes.length).fill(0x20)].map(withParity);
const codesOf = (text: string) => Array.from(text, (char) => char.charCodeAt(0));

export function header({
  page = "888",
  nationalOption = 0,
  isSubtitle = true,
  isErased = true,
}: PageOptions): number[] {
  const [magazine, tens, units] = Array.from(page, (digit) => Number.parseInt(digit, 16)) as [number, number, number];
  const option = ((nationalOption & 4) >> 1) | ((nationalOption & 2) << 1) | ((nationalOption & 1) << 3);
  const control = hamming(units, tens, 0, isErased ? 8 : 0, 0, isSubtitle ? 8 : 0, 1, option);
  return packet(magazine, 0, [...control, ...row([]).slice(8)]);
}

/** Text in a box, as subtitles are sent. @param number 1 to 24 @param text ASCII codes of the page's character set */
export const boxed = (number: number, text: string, page = "888"): number[] =>
  packet(Number(page[0]), number, row([DOUBLE_HEIGHT, START_BOX, START_BOX, ...codesOf(text), END_BOX, END_BOX]));
export const plainRow = (number: number, codes: number[], page = "888"): number[] =>
  packet(Number(page[0]), number, row(codes));

/** Ends the pages before it: a page that no one asks for. */
const filler = (page: string) => header({ page: `${page[0]}ff`, isSubtitle: false });

/** X/26: characters of level 1.5. @param at row, column, mode, data */
export function enhancements(at: [row: number, column: number, mode: number, data: number][], page = "888"): number[] {
  const triplets = at.flatMap(([line, column, mode, data]) => [
    [40 + (line % 24), 0x04, column],
    [column, mode, data],
  ]);
  const padded = [...triplets, ...Array.from({ length: 13 - triplets.length }, () => [63, 0x1f, 0])];
  const words = padded.flatMap(([address = 0, mode = 0, data = 0]) => hamming24(address | (mode << 6) | (data << 11)));
  return packet(Number(page[0]), 26, [...hamming(0), ...words]);
}

/** X/28/0: the region of the characters. */
export const designation = (region: number, page = "888"): number[] =>
  packet(Number(page[0]), 28, [
    ...hamming(0),
    ...hamming24(region << 10),
    ...Array.from({ length: 12 }, () => hamming24(0)).flat(),
  ]);

/** Three bytes for 18 bits (EN 300 706 §8.3): the data bits, then the parities that make each test odd. */
export function hamming24(data: number): number[] {
  let word = 0;
  let bit = 0;
  for (let position = 1; position <= 23; position += 1) {
    if ((position & (position - 1)) === 0) continue; // 1, 2, 4, 8, 16 are parities
    word |= ((data >> bit) & 1) << (position - 1);
    bit += 1;
  }
  for (const parity of [1, 2, 4, 8, 16]) {
    let ones = 0;
    for (let position = 1; position <= 23; position += 1) if (position & parity) ones += (word >> (position - 1)) & 1;
    if (ones % 2 === 0) word |= 1 << (parity - 1);
  }
  const ones = Array.from(word.toString(2)).filter((digit) => digit === "1").length;
  if (ones % 2 === 0) word |= 1 << 23;
  return [word & 0xff, (word >> 8) & 0xff, (word >> 16) & 0xff];
}

/** One PES payload with a whole page: its rows from 22 on, or the packets given. */
export function pageData(rows: (string | number[])[], options: PageOptions = {}): Uint8Array {
  const { page = "888" } = options;
  const packets = rows.map((one, n) => (typeof one === "string" ? boxed(20 + 2 * n, one, page) : one));
  return pes([header(options), ...packets, filler(page)]);
}

/** Whole multiples of 184 bytes, less the header of the PES packet. */
export function pes(packets: number[][]): Uint8Array {
  const stuffing = [0xff, 0x2c, ...Array<number>(44).fill(0xff)];
  const units = [...packets];
  while ((units.length + 1) % 4 !== 0) units.push(stuffing);
  return Uint8Array.from([0x10, ...units.flat()]);
}
