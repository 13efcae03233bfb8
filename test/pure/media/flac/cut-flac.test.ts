import { expect, test } from "vitest";
import { crc16, crc8 } from "../../../../src/media/flac/crc.ts";
import { cutFlac, flacBorders } from "../../../../src/media/flac/cut-flac.ts";
import { codedNumber, readFlac } from "../../../../src/media/flac/read-flac.ts";
import { constantFlac, FRAME_MS } from "../../../support/flac-writer.ts";

const ascii = (text: string) => Uint8Array.from(text, (letter) => letter.charCodeAt(0));

test("sums are those that are published for their polynomials", () => {
  // "CRC-8/SMBUS" and "CRC-16/UMTS" of the catalogue of parametrised CRC algorithms.
  expect([crc8(ascii("123456789")), crc16(ascii("123456789"))]).toEqual([0xf4, 0xfee8]);
});

test("numbers are coded as in UTF-8, and with up to seven bytes", () => {
  for (const number of [0, 0x7f, 0x80, 0x7ff, 0x800, 0xffff, 0x10000, 0x10ffff])
    if (number < 0xd800 || number > 0xdfff)
      expect(codedNumber(number)).toEqual([...new TextEncoder().encode(String.fromCodePoint(number))]);
  expect(codedNumber(2 ** 31 - 1)).toEqual([0xfd, 0xbf, 0xbf, 0xbf, 0xbf, 0xbf]);
  expect(codedNumber(2 ** 36 - 1)).toEqual([0xfe, 0xbf, 0xbf, 0xbf, 0xbf, 0xbf, 0xbf]);
});

test("both halves are files whose frames are counted from 0, and say how many samples they have", () => {
  const whole = readFlac(constantFlac(300, { lastSamples: 1000 }))!;
  expect(flacBorders(whole)).toEqual(Array.from({ length: 299 }, (_, n) => (n + 1) * FRAME_MS));
  const middleMs = 140 * FRAME_MS;
  const halves = [cutFlac(whole, 0, middleMs)!, cutFlac(whole, middleMs, Infinity)!].map((bytes) => readFlac(bytes)!);
  expect(halves.map(({ frames }) => frames.length)).toEqual([140, 160]);
  expect(halves.map(({ info }) => new DataView(info.slice().buffer).getUint32(14))).toEqual([
    140 * 4096,
    159 * 4096 + 1000,
  ]);
  // The body of a frame is its number in the whole file.
  const values = halves.flatMap(({ bytes, frames }) =>
    frames.map(({ offset, headerLength }) => new DataView(bytes.buffer).getInt16(offset + headerLength + 1)),
  );
  expect(values).toEqual(Array.from({ length: 300 }, (_, n) => n));
  expect(cutFlac(whole, 1e9, Infinity)).toBeNull();
});

test("a header inside of a frame is none: the sum says where frames end", () => {
  const next = constantFlac(2).slice(-11); // what follows the first frame
  const bytes = constantFlac(3, { bodyOf: (n) => (n === 0 ? [0, 0, 0, ...next.slice(0, 6)] : [0, 0, n]) });
  expect(readFlac(bytes)?.frames.map(({ samples }) => samples)).toEqual([4096, 4096, 4096]);
});

test.each([
  ["nothing", new Uint8Array(0)],
  ["another file", ascii("RIFF1234WAVEfmt ")],
  ["a mark alone", ascii("fLaC")],
  ["a file without frames", constantFlac(1).slice(0, 42)],
  ["one that is cut off", constantFlac(4).slice(0, -1)],
  ["one whose block of metadata has no end", ascii("fLaC").slice(0, 4)],
  ["one with something behind it", Uint8Array.from([...constantFlac(4), 1, 2, 3])],
  ["a damaged one", constantFlac(4).fill(7, 60, 61)],
])("%s cannot be cut", (_, bytes) => {
  expect(readFlac(bytes)).toBeNull();
});
