import { expect, test } from "vitest";
import { MAX_CUES } from "../../../../src/media/captions/cue.ts";
import { RecordedCues } from "../../../../src/media/live/recorded-cues.ts";
import type { Span } from "../../../../src/media/types.ts";

const cue = (startMs: number, endMs: number, text = "HELLO", settings = "") => ({ startMs, endMs, settings, text });
/** Segments of 2 s. @param spans first segment and start on the session's timeline, in seconds */
function recording(count: number, spans: [first: number, startSeconds: number][], bytes = 1) {
  const span = ([first, startSeconds]: [number, number], n: number): Span => {
    return { first, initVersion: n, startTicks: startSeconds * 1000, capturedAtMs: 0, isDiscontinuous: n > 0 };
  };
  const fill = (value: number) => Array.from({ length: count }, () => value);
  const segments = { durationTicks: fill(2000), bytes: fill(bytes), keyframes: [], spans: spans.map(span) };
  return { timescale: 1000, segments };
}
const simple = () => new RecordedCues([recording(10, [[0, 0]])], 0);

test("a caption that goes on in the next part and segment is one cue", () => {
  const cues = simple();
  cues.add(0, [cue(1500, 2000)]);
  cues.add(1, [cue(2000, 2500), cue(2500, 3000, "BYE")]);
  cues.add(2, [cue(4000, 4500, "BYE")]);
  expect(cues.cues).toEqual([cue(1500, 2500), cue(2500, 3000, "BYE"), cue(4000, 4500, "BYE")]);
});

test("times are those of the recording: after a jump of the timestamps, a gap, and the beginning of a clip", () => {
  // Two segments from 30 s on, then one that begins at 100 s.
  const cues = new RecordedCues(
    [
      recording(3, [
        [0, 30],
        [2, 100],
      ]),
    ],
    15,
  );
  cues.add(14, [cue(28_000, 30_000, "BEFORE")]);
  cues.add(16, [cue(33_000, 34_000)]);
  cues.add(17, [cue(100_000, 100_700, "AFTER")]);
  expect(cues.cues).toEqual([cue(3000, 4000), cue(4000, 4700, "AFTER")]);
});

test("a rendition without media at a place does not move the captions there", () => {
  const lost = recording(
    2,
    [
      [0, 0],
      [1, 999],
    ],
    0,
  );
  const there = recording(2, [
    [0, 0],
    [1, 2],
  ]);
  const cues = new RecordedCues([lost, there], 0);
  cues.add(1, [cue(2500, 3000)]);
  expect(cues.cues).toEqual([cue(2500, 3000)]);
});

test("a row that is typed on the screen is one cue from its first character on; after a second's pause, what follows is a cue", () => {
  const cues = simple();
  cues.add(0, [cue(0, 200, "<i>HE</i>"), cue(200, 400, "<i>HELLO</i>"), cue(400, 1500, "<i>HELLO</i>\nTHE")]);
  cues.add(1, [cue(2000, 3200, "ONE"), cue(3200, 3400, "ONE TWO"), cue(3400, 3500, "TWO\nTHREE")]);
  expect(cues.cues).toEqual([
    cue(0, 1500, "<i>HELLO</i>\nTHE"),
    cue(2000, 3200, "ONE"),
    cue(3200, 3400, "ONE TWO"),
    cue(3400, 3500, "TWO\nTHREE"),
  ]);
});

test("text that grows at another place of the picture is another cue", () => {
  const cues = simple();
  cues.add(0, [cue(0, 200, "ONE", "line:0"), cue(200, 400, "ONE TWO")]);
  expect(cues.cues).toHaveLength(2);
});

test("captions are cut where a track has no room for more", () => {
  const cues = new RecordedCues([recording(MAX_CUES / 1000 + 2, [[0, 0]])], 0);
  for (let msn = 0; msn < MAX_CUES / 1000 + 1; msn += 1)
    cues.add(
      msn,
      Array.from({ length: 1000 }, (_, n) => cue(msn * 2000 + 2 * n, msn * 2000 + 2 * n + 1, `${n}`)),
    );
  expect([cues.isFull, cues.cues.length]).toEqual([true, MAX_CUES]);
  const large = simple();
  for (let n = 0; n < 12; n += 1) large.add(0, [cue(n, n + 1, `${n}`.padEnd(1 << 20))]);
  expect([large.isFull, large.cues.length]).toEqual([true, 10]);
});
