import { expect, test } from "vitest";
import { MAX_READS } from "../../../src/media/mp4/index-bytes.ts";
import { indexSource } from "../../../src/media/mp4/index-source.ts";
import { boxAt, clip, patched, readerOf } from "./mp4-surgery.ts";

const flower = clip("flower");
const reasonOf = async (bytes: Uint8Array, size?: number | null) => {
  const reasons = [];
  for (const memory of [{}, { maxBufferedBytes: 0, windowBytes: 240 }]) {
    const { reader } = readerOf(bytes, size === undefined ? bytes.length : size);
    const source = await indexSource(reader, { memory });
    reasons.push(source.standard ? "standard" : source.reason);
  }
  expect(reasons[1], "the reason for an index that is read in pieces").toBe(reasons[0]);
  return reasons[0]!;
};

const text = (value: string) => new TextEncoder().encode(value);
/** A copy in which a box, or a sample entry, has another name; "avc1" is a brand of the file first. */
function renamed(type: string, name: string, nth = 0): Uint8Array {
  const copy = flower.slice();
  copy.set(text(name), boxAt(copy, type, nth).start + 4);
  return copy;
}

test.each([
  ["an empty file", new Uint8Array()],
  ["a page of text", text("<!doctype html><title>Not a film</title>".repeat(50))],
  ["a zip archive", Uint8Array.from([0x50, 0x4b, 3, 4, ...text("x".repeat(500))])],
  ["a file that ends in its index", flower.slice(0, 2000)],
  ["a file that ends in its media", flower.slice(0, 200_000)],
  ["a fragmented file", renamed("iods", "mvex")],
  ["HEVC", renamed("avc1", "hvc1", 1)],
  ["parameters in the stream", renamed("avc1", "avc3", 1)],
  ["sound that is not AAC", renamed("mp4a", "ac-3")],
  ["no sample table", renamed("stbl", "none")],
  ["no key frame table: every frame claims to be one", renamed("stss", "free")],
  ["rotation", patched(flower, "tkhd", 48, 0x00000000)],
  ["a mirrored picture", patched(flower, "tkhd", 48, -0x10000)],
  ["a film that is mirrored as a whole", patched(flower, "mvhd", 44, -0x10000)],
  ["a picture shown at twice its width", patched(flower, "tkhd", 84, 1920 * 65536)],
  ["an edit into a GOP", patched(flower, "elst", 20, 30_000)],
  ["an edit that plays at another speed", patched(flower, "elst", 24, 0x20000)],
  ["an edit that leaves out the end", patched(flower, "elst", 16, 600)],
  ["an interlaced or 4:2:2 parameter set", patched(flower, "avcC", 16, 0xffffffff)],
  ["2^31 samples of one size", patched(patched(flower, "stsz", 12, 1), "stsz", 16, 2 ** 31)],
  ["more sizes than the box holds", patched(flower, "stsz", 16, 1_000_000)],
  ["more times than the box holds", patched(flower, "stts", 12, 2 ** 31)],
  ["a run of 2^32 samples of no duration", patched(flower, "stts", 20, 0)],
  ["more chunks than the box holds", patched(flower, "stco", 12, 2 ** 30)],
  ["a chunk behind the end of the file", patched(flower, "stco", 16, 2 ** 31)],
  ["chunks without samples", patched(flower, "stsc", 20, 0)],
  ["a box larger than its container", patched(flower, "stbl", 0, 2 ** 30)],
  ["a box of size 1 with an absurd long size", patched(flower, "minf", 0, 1)],
  ["an index of 3 GB", patched(flower, "moov", 0, 3 * 2 ** 30)],
  ["a timescale of 0", patched(flower, "mdhd", 20, 0)],
])("%s is not standard, and nothing is thrown", async (_what, bytes) => {
  const reason = await reasonOf(bytes);
  expect(reason).not.toBe("standard");
  expect(reason.length).toBeLessThan(100);
});

test("the unmodified clip is standard, so the cases above are refused for their modifications", async () => {
  expect(await reasonOf(flower)).toBe("standard");
});

test("a failing reader throws its own error and is not a verdict on the source", async () => {
  const broken = { size: null, read: () => Promise.reject(new Error("connection reset")) };
  await expect(indexSource(broken)).rejects.toThrow("connection reset");
});

test("an index with widely scattered boxes is refused after a bounded number of reads", async () => {
  const [boxBytes, boxes] = [80_000, 600];
  const file = new Uint8Array(32 + boxes * boxBytes);
  const view = new DataView(file.buffer);
  const writeHeader = (at: number, size: number, type: string) => {
    view.setUint32(at, size);
    file.set(text(type), at + 4);
  };
  writeHeader(0, 16, "ftyp");
  writeHeader(16, file.length - 16, "moov");
  for (let n = 0; n < boxes; n++) writeHeader(24 + n * boxBytes, boxBytes, "free");
  const { reader, reads } = readerOf(file);
  expect(await indexSource(reader)).toMatchObject({ standard: false, reason: expect.stringMatching("scattered") });
  expect(reads.length).toBe(MAX_READS + 1);
});

test("5 million key frames claimed in a few bytes are refused before they are listed", async () => {
  const frames = 5_200_000;
  const claimed = patched(patched(renamed("stss", "free"), "stsz", 12, 1), "stsz", 16, frames);
  expect(await reasonOf(patched(claimed, "stts", 16, frames))).toMatch("more frames than 12 hours");
});

test("5 million audio frames claimed at one time are refused before they are in memory", async () => {
  const frames = 5_200_000;
  const claims: [type: string, offsetInBox: number, value: number][] = [
    ["stsz", 12, 1],
    ["stsz", 16, frames],
    ["stts", 16, frames],
    ["stts", 20, 0],
    ["stsc", 20, frames],
  ];
  let claimed: Uint8Array = flower;
  for (const [type, offsetInBox, value] of claims) claimed = patched(claimed, type, offsetInBox, value, 1);
  expect(await reasonOf(claimed)).toBe("too many samples in a few seconds");
});

test("thousands of damaged indexes are each refused or read, in time and without a crash", async () => {
  const moov = boxAt(flower, "moov");
  let state = 42;
  const random = (below: number) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  let refused = 0;
  const startedAt = performance.now();
  for (let round = 0; round < 3000; round++) {
    const copy = flower.slice(0, moov.start + moov.size + 64);
    for (let n = 0; n <= random(4); n++)
      copy[moov.start + 8 + random(moov.size - 8)] = [0, 1, 0x7f, 0x80, 0xff, random(256)][random(6)]!;
    if ((await reasonOf(copy, flower.length)) !== "standard") refused += 1;
  }
  expect(refused).toBeGreaterThan(300);
  expect(performance.now() - startedAt).toBeLessThan(20_000);
}, 30_000);
