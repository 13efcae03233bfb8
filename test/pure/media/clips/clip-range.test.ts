import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { clipFrames, cutSegments, msOfFrame, soundFrames } from "../../../../src/media/clips/clip-range.ts";

const NTSC = { num: 30_000, den: 1001 };
const rates = fc.constantFrom(NTSC, { num: 25, den: 1 }, { num: 24_000, den: 1001 }, { num: 60, den: 1 });

describe("the frames of a clip", () => {
  test("are those presented from its start on and before its end", () => {
    const frames = (startMs: number, endMs: number | null) => clipFrames({ startMs, endMs }, { num: 25, den: 1 }, 250);
    expect(frames(1000, 2000)).toEqual({ first: 25, end: 50 });
    expect(frames(1001, 2001)).toEqual({ first: 26, end: 51 });
    expect(frames(0, null)).toEqual({ first: 0, end: 250 });
    expect(frames(9990, 20_000)).toEqual({ first: 250, end: 250 });
  });

  test("begin at any frame whose time is given, rounded to milliseconds", () => {
    fc.assert(
      fc.property(rates, fc.nat(1_000_000), fc.integer({ min: 1, max: 5000 }), (rate, first, count) => {
        const ms = (frame: number) => Math.round(msOfFrame(frame, rate));
        const range = { startMs: ms(first), endMs: ms(first + count) };
        expect(clipFrames(range, rate, 2_000_000)).toEqual({ first, end: first + count });
      }),
    );
  });
});

test("whole segments are shared, and what is made again is less than a segment at each end", () => {
  fc.assert(
    fc.property(fc.nat(3000), fc.integer({ min: 1, max: 3000 }), fc.nat(200), (first, count, more) => {
      const size = 100;
      const range = { first, end: first + count };
      const { firstSegment, endSegment, head, tail } = cutSegments(range, range.end + more, size);
      const made = [head, tail].filter((edge) => edge !== null);
      for (const { first: from, end } of made) expect(end - from).toBeLessThan(size + 1);
      // Edges and shared segments have every frame of the clip once.
      const shared = endSegment - firstSegment - made.length;
      const lastShared = Math.min(size, range.end - (endSegment - 1) * size);
      const sharedFrames = shared === 0 ? 0 : (shared - 1) * size + (tail === null ? lastShared : size);
      expect(sharedFrames + made.reduce((sum, { first: from, end }) => sum + end - from, 0)).toBe(count);
    }),
  );
});

test("the sound of an edge covers the picture, by whole AAC frames of its segment", () => {
  const segment = { startTicks: 192_512, endTicks: 384_000 + 512 };
  const frames = { timescale: 48_000, frameTicks: 1024 };
  const cut = (startSeconds: number, endSeconds: number) => soundFrames(segment, { startSeconds, endSeconds }, frames);
  expect(cut(5, 100)).toEqual({ startTicks: 192_512 + 46 * 1024, endTicks: segment.endTicks });
  expect(cut(0, 5)).toEqual({ startTicks: 192_512, endTicks: 192_512 + 47 * 1024 });
  expect(cut(5, 5.001)).toEqual({ startTicks: 239_616, endTicks: 240_640 });
  expect(cut(8.009, 100).endTicks).toBe(segment.endTicks); // at least one frame
});
