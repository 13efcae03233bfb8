import { expect, test } from "vitest";
import { CC_CODECS, ccDataOf, hasCcData } from "../../../../protocol/media/captions/cc-data.ts";
import { annexB, atscUserData, h264Sei, hevcSei, triplet } from "../../../support/cc-writer.ts";
import { cpuMs } from "../../../support/cpu-time.ts";

const TRIPLETS = [triplet(0, [0x14, 0x20]), triplet(1, [0, 0]), triplet(3, [0x02, 0x21]), triplet(2, [0x41, 0])];
const EXPECTED = Uint8Array.from(TRIPLETS.flat());
const SLICE = [0x01, 0x88, 0x84, 0x00, 0x21, 0x01, 0x01];

test("caption words of H.264 are found behind start codes, and behind lengths of each size", () => {
  const sei = h264Sei(TRIPLETS);
  expect(ccDataOf("h264", annexB([0x09, 0xf0], sei, SLICE), null)).toEqual(EXPECTED);
  for (const bytes of [1, 2, 4]) {
    const prefixed = [sei, SLICE].flatMap((unit) => [...Array<number>(bytes - 1).fill(0), unit.length, ...unit]);
    expect(ccDataOf("h264", Uint8Array.from(prefixed), bytes)).toEqual(EXPECTED);
  }
});

test("caption words of HEVC and MPEG-2 are found, and those of two fields follow each other", () => {
  expect(ccDataOf("hevc", annexB(hevcSei(TRIPLETS), [0x02, 0x01, 0xd0]), null)).toEqual(EXPECTED);
  const picture = [0x00, 0x00, 0x0f, 0xff, 0xf8];
  const userData = [0xb2, ...atscUserData(TRIPLETS)];
  expect(ccDataOf("mpeg2video", annexB(picture, userData, SLICE), null)).toEqual(EXPECTED);
  const fields = annexB(picture, userData, SLICE, picture, userData, SLICE);
  expect(ccDataOf("mpeg2video", fields, null)).toEqual(Uint8Array.of(...EXPECTED, ...EXPECTED));
});

test("bytes of words that look like a start code are escaped, and read back", () => {
  const zeros = Array.from({ length: 31 }, () => [0xfe, 0, 0]);
  const awkward = [...zeros.slice(0, 20), [0xfe, 0, 1], [0xfe, 0, 0], [0xfe, 3, 0], [0xff, 0, 3]];
  const unit = annexB(h264Sei(awkward), SLICE);
  expect(ccDataOf("h264", unit, null)).toEqual(Uint8Array.from(awkward.flat()));
});

test("other messages of the same unit are passed over, also those of more than 255 bytes", () => {
  const [, ...captions] = h264Sei(TRIPLETS);
  const other = [5, 255, 45, ...Array<number>(300).fill(0x42)];
  expect(ccDataOf("h264", annexB([0x06, ...other, ...captions], SLICE), null)).toEqual(EXPECTED);
});

test("words that are not valid are left out, and show that captions may follow", () => {
  const idle = annexB(h264Sei([[0xfa, 0, 0]]), SLICE);
  expect(ccDataOf("h264", idle, null)).toHaveLength(0);
  expect(hasCcData("h264", idle, null)).toBe(true);
  expect(hasCcData("h264", annexB(SLICE), null)).toBe(false);
});

test("hostile units give at most 128 words, in time that grows with their size", () => {
  const startedAt = cpuMs();
  const many = annexB(
    ...Array.from({ length: 5000 }, () => h264Sei(Array.from({ length: 31 }, () => triplet(0, [65, 66])))),
  );
  expect(ccDataOf("h264", many, null)).toHaveLength(128 * 3);
  const patterns = [[0], [1], [0, 0, 1], [0, 0, 1, 6], [6, 255], [0, 0, 1, 0xb2], [0, 0, 3], [0, 0, 1, 6, 4, 255]];
  for (const pattern of patterns) {
    const bytes = Uint8Array.from({ length: 1 << 20 }, (_, n) => pattern[n % pattern.length]!);
    for (const codec of CC_CODECS)
      for (const lengthBytes of [null, 1, 4]) expect(ccDataOf(codec, bytes, lengthBytes)).toHaveLength(0);
  }
  expect(cpuMs() - startedAt).toBeLessThan(5000);
});

test("a truncated unit gives the words that are there", () => {
  const whole = annexB(h264Sei(TRIPLETS), SLICE);
  for (let size = 0; size < whole.length; size += 1) {
    const words = ccDataOf("h264", whole.subarray(0, size), null);
    expect(words).toEqual(EXPECTED.subarray(0, words.length));
    expect(words.length % 3).toBe(0);
  }
});
