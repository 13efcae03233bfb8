/** The FLAC files of pieces, cut by the Worker's rule and decoded by libav. */
import { expect, test } from "vitest";
import { FlacFile } from "../../../encoder/speech/flac-file.ts";
import { cutFlac, flacBorders } from "../../../src/media/flac/cut-flac.ts";
import { readFlac } from "../../../src/media/flac/read-flac.ts";
import { decodeSound } from "../../support/rendition.ts";

const RATE_HZ = 16_000;

/** Noise, tones and silence by turns: frames of every kind of prediction, 60 s with a last frame that is shorter. */
async function noisyFile(): Promise<Uint8Array<ArrayBuffer>> {
  const file = await FlacFile.open(RATE_HZ);
  let seed = 7;
  const samples = Float32Array.from({ length: 60 * RATE_HZ + 123 }, (_, n) => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    const second = Math.floor(n / RATE_HZ) % 3;
    if (second === 0) return 0.5 * (seed / 2 ** 31 - 1);
    return second === 1 ? 0.3 * Math.sin((2 * Math.PI * 220 * n) / RATE_HZ) : 0;
  });
  file.put(samples);
  return new Uint8Array(file.finish());
}

test.each([0.1, 0.5, 0.93])("two parts, cut at %d of a piece, have its samples, from time 0 on", async (share) => {
  const bytes = await noisyFile();
  const whole = await decodeSound(Buffer.from(bytes));
  const file = readFlac(bytes)!;
  expect(file.rateHz).toBe(RATE_HZ);
  const borders = flacBorders(file);
  const middleMs = borders[Math.floor(borders.length * share)]!;
  const parts = [cutFlac(file, 0, middleMs)!, cutFlac(file, middleMs, Infinity)!];
  const [first, second] = [await decodeSound(Buffer.from(parts[0]!)), await decodeSound(Buffer.from(parts[1]!))];
  expect([first.startSeconds, second.startSeconds]).toEqual([0, 0]);
  expect(Math.max(first.largestHoleSeconds, second.largestHoleSeconds)).toBeLessThan(1e-9);
  expect(first.samples.length).toBe((middleMs * RATE_HZ) / 1000);
  const joined = Buffer.concat([first.samples, second.samples].map(({ buffer }) => Buffer.from(buffer)));
  expect(joined.equals(Buffer.from(whole.samples.buffer))).toBe(true);
});
