import { addToCrc16, crc8 } from "./crc.ts";

export interface FlacFrame {
  /** In the file. */
  offset: number;
  length: number;
  /** With its sum. */
  headerLength: number;
  /** Bytes of its number, which begins behind four bytes. */
  numberLength: number;
  firstSample: number;
  samples: number;
}

/** A FLAC file whose frames were found (RFC 9639). */
export interface FlacFile {
  bytes: Uint8Array<ArrayBuffer>;
  /** STREAMINFO without the header of its block. */
  info: Uint8Array;
  rateHz: number;
  /** In order, without gaps. */
  frames: FlacFrame[];
}

/** "fLaC". */
export const MARK = [0x66, 0x4c, 0x61, 0x43];
const BLOCK_HEADER_BYTES = 4;
export const STREAMINFO_BYTES = 34;
const LAST_BLOCK = 0x80;
/** Where the number of a frame begins. */
export const NUMBER_AT = 4;
/** Frames of one length, counted from 0: the encoder of the pieces writes no others. */
const SYNC = [0xff, 0xf8] as const;

/**
 * Finds the frames of a file: each is where the one before ends, as its sum says, and has the next number. Pure.
 *
 * @returns null when it is not a whole FLAC file whose frames are counted
 */
export function readFlac(bytes: Uint8Array<ArrayBuffer>): FlacFile | null {
  const start = firstFrameAt(bytes);
  if (start === null) return null;
  const infoAt = MARK.length + BLOCK_HEADER_BYTES;
  const info = bytes.subarray(infoAt, infoAt + STREAMINFO_BYTES);
  const rateHz = (info[10]! << 12) | (info[11]! << 4) | (info[12]! >> 4);
  const frames: FlacFrame[] = [];
  let frame = readHeader(bytes, start, 0);
  let firstSample = 0;
  while (frame !== null) {
    const { next, end } = nextFrame(bytes, frame.offset, frames.length + 1);
    frames.push({ ...frame, firstSample, length: end - frame.offset });
    firstSample += frame.samples;
    if (next === null && end !== bytes.length) return null; // it is damaged
    frame = next;
  }
  return frames.length === 0 || rateHz === 0 ? null : { bytes, info, rateHz, frames };
}

/** Behind the blocks of metadata, of which the first is STREAMINFO. */
function firstFrameAt(bytes: Uint8Array): number | null {
  if (!MARK.every((byte, at) => bytes[at] === byte)) return null;
  let at = MARK.length;
  for (let isLast = false; !isLast;) {
    if (at + BLOCK_HEADER_BYTES > bytes.length) return null;
    const length = (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!;
    if (at === MARK.length && ((bytes[at]! & ~LAST_BLOCK) !== 0 || length !== STREAMINFO_BYTES)) return null;
    isLast = (bytes[at]! & LAST_BLOCK) !== 0;
    at += BLOCK_HEADER_BYTES + length;
  }
  return at;
}

type Header = Omit<FlacFrame, "length" | "firstSample">;

/** The frame behind the one at `offset`, and where that one ends. */
function nextFrame(bytes: Uint8Array, offset: number, number: number): { next: Header | null; end: number } {
  let sum = 0;
  let end = offset;
  for (let at = offset; at < bytes.length; at += 1) {
    sum = addToCrc16(sum, bytes[at]!);
    if (sum !== 0) continue;
    end = at + 1;
    const next = bytes[end] === SYNC[0] ? readHeader(bytes, end, number) : null;
    if (next !== null) return { next, end };
  }
  return { next: null, end };
}

/** Lengths of the numbers of samples and of the rate that stand at the end of a header, by their codes (RFC 9639 §9.1.1, §9.1.2). */
const SAMPLES_BYTES: Record<number, number> = { 6: 1, 7: 2 };
const RATE_BYTES: Record<number, number> = { 12: 1, 13: 2, 14: 2 };

/** Null = there is no header of the frame with this number. */
function readHeader(bytes: Uint8Array, offset: number, number: number): Header | null {
  if (bytes[offset] !== SYNC[0] || bytes[offset + 1] !== SYNC[1]) return null;
  const [code, rateCode] = [bytes[offset + 2]! >> 4, bytes[offset + 2]! & 15];
  const coded = codedNumber(number);
  if (!coded.every((byte, at) => bytes[offset + NUMBER_AT + at] === byte)) return null;
  const samplesAt = offset + NUMBER_AT + coded.length;
  const sumAt = samplesAt + (SAMPLES_BYTES[code] ?? 0) + (RATE_BYTES[rateCode] ?? 0);
  if (sumAt >= bytes.length || crc8(bytes.subarray(offset, sumAt)) !== bytes[sumAt]) return null;
  const samples = samplesOf(code, bytes.subarray(samplesAt));
  if (samples === null) return null;
  return { offset, headerLength: sumAt + 1 - offset, numberLength: coded.length, samples };
}

/** RFC 9639 §9.1.1. */
function samplesOf(code: number, written: Uint8Array): number | null {
  if (code === 0) return null; // reserved
  if (code === 1) return 192;
  if (code <= 5) return 144 << code;
  if (code === 6) return written[0]! + 1;
  return code === 7 ? ((written[0]! << 8) | written[1]!) + 1 : 1 << code;
}

/** The bytes of a number, which are those of UTF-8 (RFC 9639 §9.1.5). */
export function codedNumber(number: number): number[] {
  if (number < 0x80) return [number];
  let length = 2;
  while (number >= 2 ** (5 * length + 1)) length += 1;
  const first = ((0xff << (8 - length)) & 0xff) | Math.floor(number / 64 ** (length - 1));
  const others = Array.from({ length: length - 1 }, (_, at) => Math.floor(number / 64 ** (length - 2 - at)) % 64);
  return [first, ...others.map((bits) => 0x80 | bits)];
}
