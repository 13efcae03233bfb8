/** Writes closed captions as broadcasters do: words of CEA-608, packets of CEA-708, `cc_data`, and the NAL units and user data around it. */

export type Word = [first: number, second: number];

/** With odd parity. */
export const withParity = (byte: number): number => {
  const ones = Array.from((byte & 0x7f).toString(2)).filter((bit) => bit === "1").length;
  return ones % 2 === 1 ? byte & 0x7f : byte | 0x80;
};

/** Two characters a word. */
export function textWords(text: string): Word[] {
  const codes = Array.from(text, (char) => char.charCodeAt(0));
  return Array.from({ length: Math.ceil(codes.length / 2) }, (_, n) => [codes[2 * n]!, codes[2 * n + 1] ?? 0]);
}

/** Commands of a channel: 1 to 4. */
export function channelWords(channel: 1 | 2 | 3 | 4) {
  const bit = channel % 2 === 0 ? 0x08 : 0;
  const twice = (first: number, second: number): Word[] => [
    [first | bit, second],
    [first | bit, second],
  ];
  const command = (second: number) => twice(channel > 2 ? 0x15 : 0x14, second);
  /** Rows 14 and 15, from the first column. */
  const preamble = (row: 1 | 14 | 15) => (row === 1 ? twice(0x11, 0x50) : twice(0x14, row === 14 ? 0x50 : 0x70));
  return {
    twice,
    preamble,
    erase: () => command(0x2c),
    /** Loads a caption and shows it. */
    popOn: (...rows: string[]) => [
      ...command(0x20),
      ...command(0x2e),
      ...rows.flatMap((row, n) => [...preamble(n === rows.length - 1 ? 15 : 14), ...textWords(row)]),
      ...command(0x2f),
    ],
    /** A new row below the others. */
    rollUp: (row: string, count: 2 | 3 | 4 = 2) => [
      ...command(0x23 + count),
      ...command(0x2d),
      ...preamble(15),
      ...textWords(row),
    ],
    paintOn: (row: string) => [...command(0x29), ...preamble(15), ...textWords(row)],
    command,
  };
}

export const PADDING: Word = [0, 0];
/** A triplet of `cc_data`. @param ccType 0 and 1: the fields of CEA-608. 2 and 3: CEA-708 */
export const triplet = (ccType: 0 | 1 | 2 | 3, [first, second]: Word): number[] => {
  const data = ccType < 2 ? [withParity(first), withParity(second)] : [first, second];
  return [0xfc | ccType, ...data];
};

/** A packet of CEA-708 with one service block (CTA-708-E §5, §6), as triplets. */
export function packetTriplets(codes: number[], { service = 1, sequence = 0 } = {}): number[][] {
  const block = [(service << 5) | codes.length, ...codes];
  if (codes.length > 31) throw new RangeError("a service block has 31 bytes at most");
  const padded = block.length % 2 === 0 ? [...block, 0] : block;
  const packet = [((sequence & 3) << 6) | ((padded.length + 1) / 2), ...padded];
  return Array.from({ length: packet.length / 2 }, (_, n) =>
    triplet(n === 0 ? 3 : 2, [packet[2 * n]!, packet[2 * n + 1]!]),
  );
}

/** Commands of CEA-708. */
export const dtvcc = {
  text: (text: string) => Array.from(text, (char) => char.charCodeAt(0)),
  /** Defines a window at the bottom. */
  window: (id: number, { rows = 2, isVisible = false, isAtTop = false } = {}) => [
    0x98 + id,
    isVisible ? 0x20 : 0,
    isAtTop ? 5 : 70,
    0,
    (isAtTop ? 0x00 : 0x70) | (rows - 1),
    31,
    0x11,
  ],
  carriageReturn: 0x0d,
  display: (id: number) => [0x89, 1 << id],
  hide: (id: number) => [0x8a, 1 << id],
  remove: (id: number) => [0x8c, 1 << id],
  reset: 0x8f,
};

/** `ATSC_user_data` with `cc_data` (ATSC A/53 part 4 table 6.7). */
export const atscUserData = (triplets: number[][]): number[] => [
  0x47,
  0x41,
  0x39,
  0x34,
  0x03,
  0x40 | triplets.length,
  0xff,
  ...triplets.flat(),
  0xff,
];

/** The payload of an SEI NAL unit with its emulation prevention bytes. */
function seiPayload(triplets: number[][]): number[] {
  const message = [0xb5, 0x00, 0x31, ...atscUserData(triplets)];
  return escaped([4, ...sizeBytes(message.length), ...message, 0x80]);
}

const sizeBytes = (size: number) => [...Array.from({ length: Math.floor(size / 255) }, () => 255), size % 255];

function escaped(payload: number[]): number[] {
  const out: number[] = [];
  for (const byte of payload) {
    if (byte <= 3 && out.at(-1) === 0 && out.at(-2) === 0) out.push(3);
    out.push(byte);
  }
  return out;
}

export const h264Sei = (triplets: number[][]): number[] => [0x06, ...seiPayload(triplets)];
export const hevcSei = (triplets: number[][]): number[] => [39 << 1, 0x01, ...seiPayload(triplets)];
/** Structures of Annex B, and of MPEG-2 without their prefix. */
export const annexB = (...units: number[][]): Uint8Array =>
  Uint8Array.from(units.flatMap((unit) => [0, 0, 0, 1, ...unit]));

/**
 * The tables of an MPEG-TS with a `caption_service_descriptor` (ATSC A/65 §6.9.2): two packets. Their CRC is not valid, so libav reads the other
 * tables of a file that they are put before.
 */
export function captionTables(services: [channel: "CC1" | "CC3" | number, language: string][]): Uint8Array {
  const entries = services.flatMap(([channel, language]) => [
    ...dtvcc.text(language),
    typeof channel === "number" ? 0xc0 | channel : 0x7e | (channel === "CC3" ? 1 : 0),
    0x3f,
    0xff,
  ]);
  const descriptor = [0x86, entries.length + 1, 0xe0 | services.length, ...entries];
  const tables: [pid: number, table: number, rest: number[]][] = [
    [0, 0x00, [0, 1, 0xe1, 0x00]],
    [0x100, 0x02, [0xe1, 0x01, 0xf0, descriptor.length, ...descriptor]],
  ];
  return Uint8Array.from(
    tables.flatMap(([pid, table, rest]) => {
      const section = [table, 0xb0, rest.length + 9, 0, 1, 0xc1, 0, 0, ...rest, 0, 0, 0, 0];
      const packet = [0x47, 0x40 | (pid >> 8), pid & 0xff, 0x10, 0, ...section];
      return [...packet, ...Array<number>(188 - packet.length).fill(0xff)];
    }),
  );
}
