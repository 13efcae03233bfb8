import { crc16, crc8 } from "./crc.ts";
import { codedNumber, type FlacFile, type FlacFrame, MARK, NUMBER_AT, STREAMINFO_BYTES } from "./read-flac.ts";

/** The block of metadata that is STREAMINFO, and the last one. */
const INFO_HEADER = [0x80, 0, 0, STREAMINFO_BYTES];

/** In whole microseconds, so that a sum of two is the same border as one counted from the start of the whole file. */
const msOf = ({ rateHz }: FlacFile, samples: number): number => toMicroseconds((samples / rateHz) * 1000);

export const toMicroseconds = (ms: number): number => Math.round(ms * 1000) / 1000;

/** Where a file can be cut: between two of its frames, milliseconds. */
export const flacBorders = (file: FlacFile): number[] =>
  file.frames.slice(1).map(({ firstSample }) => msOf(file, firstSample));

/**
 * The frames that begin within a time, as a file of their own, whose frames are counted from 0. Pure.
 *
 * @returns null when there are none
 */
export function cutFlac(file: FlacFile, fromMs: number, toMs: number): Uint8Array<ArrayBuffer> | null {
  const frames = file.frames.filter(({ firstSample }) => {
    const ms = msOf(file, firstSample);
    return ms >= fromMs && ms < toMs;
  });
  if (frames.length === 0) return null;
  const parts = frames.map((frame, number) => renumbered(file.bytes, frame, number));
  const head = [...MARK, ...INFO_HEADER];
  const start = head.length + STREAMINFO_BYTES;
  const cut = new Uint8Array(parts.reduce((sum, { length }) => sum + length, start));
  cut.set(head);
  cut.set(infoOf(file, frames), head.length);
  let at = start;
  for (const part of parts) {
    cut.set(part, at);
    at += part.length;
  }
  return cut;
}

/** The lengths of the frames and the sum of the samples are unknown, which is 0; how many samples there are is known (RFC 9639 §8.2). */
function infoOf({ info }: FlacFile, frames: readonly FlacFrame[]): Uint8Array {
  const own = info.slice();
  own.fill(0, 4, 10).fill(0, 18);
  const samples = frames.reduce((sum, frame) => sum + frame.samples, 0);
  own[13] = (own[13]! & 0xf0) | (Math.floor(samples / 2 ** 32) & 15);
  new DataView(own.buffer).setUint32(14, samples % 2 ** 32);
  return own;
}

/** The same frame with another number, and therefore with other sums. */
function renumbered(bytes: Uint8Array, frame: FlacFrame, number: number): Uint8Array {
  const { offset, length, headerLength, numberLength } = frame;
  const before = bytes.subarray(offset, offset + length);
  const header = [
    ...before.subarray(0, NUMBER_AT),
    ...codedNumber(number),
    ...before.subarray(NUMBER_AT + numberLength, headerLength - 1),
  ];
  header.push(crc8(Uint8Array.from(header)));
  const body = before.subarray(headerLength, length - 2);
  const after = new Uint8Array(header.length + body.length + 2);
  after.set(header);
  after.set(body, header.length);
  new DataView(after.buffer).setUint16(after.length - 2, crc16(after.subarray(0, -2)));
  return after;
}
