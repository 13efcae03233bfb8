import { crc16, crc8 } from "../../src/media/flac/crc.ts";
import { codedNumber } from "../../src/media/flac/read-flac.ts";

/** Of a frame, in 16 kHz. */
export const FRAME_MS = 256;
const FRAME_SAMPLES = 4096;

/** 16 kHz, mono, 16 bits, and how many samples there are (RFC 9639 §8.2). */
function streamInfo(samples: number): number[] {
  const info = new Uint8Array(34);
  const view = new DataView(info.buffer);
  view.setUint16(0, FRAME_SAMPLES);
  view.setUint16(2, FRAME_SAMPLES);
  info.set([0x03, 0xe8, 0x00, 0xf0], 10);
  view.setUint32(14, samples);
  return [...info];
}

/** Whether a header announces a frame of 4096 samples, or of as many as it says. */
function frame(number: number, body: readonly number[], samples: number): number[] {
  const isWhole = samples === FRAME_SAMPLES;
  const size = isWhole ? [] : [(samples - 1) >> 8, (samples - 1) & 255];
  const header = [0xff, 0xf8, isWhole ? 0xc5 : 0x75, 0x08, ...codedNumber(number), ...size];
  const whole = Uint8Array.from([...header, crc8(Uint8Array.from(header)), ...body]);
  const sum = crc16(whole);
  return [...whole, sum >> 8, sum & 255];
}

/** A subframe whose samples are all the same. */
const constant = (value: number): number[] => [0, (value >> 8) & 255, value & 255];

/**
 * A FLAC file of 16 kHz whose frame n has the sample n everywhere.
 *
 * @param bodyOf the subframe of a frame, if it is another one
 */
export function constantFlac(
  frames: number,
  { lastSamples = FRAME_SAMPLES, bodyOf = constant }: { lastSamples?: number; bodyOf?: (n: number) => number[] } = {},
): Uint8Array<ArrayBuffer> {
  const samplesOf = (n: number) => (n === frames - 1 ? lastSamples : FRAME_SAMPLES);
  const info = streamInfo((frames - 1) * FRAME_SAMPLES + lastSamples);
  const all = Array.from({ length: frames }, (_, n) => frame(n, bodyOf(n), samplesOf(n)));
  return Uint8Array.from([0x66, 0x4c, 0x61, 0x43, 0x80, 0, 0, 34, ...info, ...all.flat()]);
}
