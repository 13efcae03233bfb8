import { expect, test } from "vitest";
import { middleOf } from "../../../../src/ai/captions/index.ts";
import type { SpeechSpan } from "../../../../protocol/speech.ts";

/** Frames of 256 ms, of a piece of 60 s. */
const BORDERS = Array.from({ length: 234 }, (_, n) => (n + 1) * 256);
const WHOLE = { fromMs: 0, toMs: 60_000 };

/** Sounds that begin at these times of the piece. */
const spansAt = (...starts: number[]): SpeechSpan[] =>
  starts.map((atMs, n) => [atMs, atMs + n * 1000, (starts[n + 1] ?? 60_000) - atMs]);

test("the pause nearest to the middle is taken, and lies within the silence that was kept", () => {
  const middle = middleOf(BORDERS, WHOLE, { spans: spansAt(0, 20_000, 37_000, 50_000), leastMs: 2000 })!;
  expect(Math.abs(middle - 37_000)).toBeLessThanOrEqual(250);
});

test("without a pause in its middle half, a sound is cut in its middle", () => {
  expect(middleOf(BORDERS, WHOLE, { spans: spansAt(0, 5000, 55_000), leastMs: 2000 })).toBe(117 * 256);
});

test("a part is cut between its own times", () => {
  const spans = spansAt(0, 20_000, 37_000, 50_000);
  const middle = middleOf(BORDERS, { fromMs: 36_864, toMs: 60_000 }, { spans, leastMs: 2000 })!;
  expect(Math.abs(middle - 50_000)).toBeLessThanOrEqual(250);
});

test("no half is shorter than it may be", () => {
  const of = (toMs: number) => middleOf(BORDERS, { fromMs: 0, toMs }, { spans: spansAt(0), leastMs: 10_000 });
  expect([of(21_000), of(19_000)]).toEqual([41 * 256, null]);
  expect(middleOf([], WHOLE, { spans: spansAt(0), leastMs: 2000 })).toBeNull();
});
