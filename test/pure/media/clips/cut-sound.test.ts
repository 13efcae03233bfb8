import { expect, test } from "vitest";
import { mediaSegment } from "../../../../protocol/media/cmaf.ts";
import { cutCues } from "../../../../src/media/clips/cut-cues.ts";
import { cutSound } from "../../../../src/media/clips/cut-sound.ts";
import { fragmentSamples } from "../../../../src/media/mp4/fragment-samples.ts";
import { readFragment } from "../../../../src/media/cenc/read-fragment.ts";

/** Frames of different sizes, each byte the number of its frame. */
const { bytes: SEGMENT } = mediaSegment([
  {
    sequenceNumber: 4,
    decodeTicks: 10_240,
    samples: Array.from({ length: 10 }, (_, n) => ({
      data: Buffer.alloc(n + 3, n),
      isSync: true,
      durationTicks: 1024,
      compositionTicks: 0,
    })),
  },
]);

test("the frames between two times, at their times", () => {
  const cut = cutSound(SEGMENT, { startTicks: 10_240 + 2048, endTicks: 10_240 + 5120 })!;
  expect([cut.startTicks, cut.durationTicks]).toEqual([12_288, 3072]);
  const at = Buffer.from(cut.bytes).indexOf("moof") - 4;
  const size = Buffer.from(cut.bytes).readUInt32BE(at);
  const { decodeTicks, rows } = readFragment(cut.bytes.subarray(at, at + size));
  expect(decodeTicks).toBe(12_288);
  expect(rows.map(({ bytes, durationTicks }) => [bytes, durationTicks])).toEqual([
    [5, 1024],
    [6, 1024],
    [7, 1024],
  ]);
  const media = cut.bytes.subarray(at + size + 8);
  expect([...media]).toEqual([2, 3, 4].flatMap((n) => Array.from({ length: n + 3 }, () => n)));
  expect(Buffer.from(cut.bytes.subarray(4, 8)).toString()).toBe("styp");
  expect(fragmentSamples(SEGMENT)).toHaveLength(10);
});

test("nothing between the times is no segment", () => {
  expect(cutSound(SEGMENT, { startTicks: 30_000, endTicks: 40_000 })).toBeNull();
});

test("captions keep what is shown between the times, from the first one on", () => {
  const cue = (startMs: number, endMs: number) => ({ startMs, endMs, settings: "", text: `${startMs}` });
  const cues = [cue(0, 1000), cue(900, 2500), cue(3000, 4000), cue(5500, 9000), cue(6000, 7000)];
  const cut = cutCues(cues, { startMs: 2000, endMs: 6000 });
  expect(cut.map(({ startMs, endMs, text }) => [startMs, endMs, text])).toEqual([
    [0, 500, "900"],
    [1000, 2000, "3000"],
    [3500, 4000, "5500"],
  ]);
  expect(cutCues(cues, { startMs: 8000, endMs: null })).toMatchObject([{ startMs: 0, endMs: 1000 }]);
});
