import { expect, test } from "vitest";
import { skippedWarnings } from "../../../src/library/tracks/text/skipped-warnings.ts";
import { readCaptions } from "../../../src/media/captions/read-captions.ts";

const warningsOf = (...cues: string[]) => {
  const file = new TextEncoder().encode(["WEBVTT", "00:01.000 --> 00:02.000\nKept.", ...cues].join("\n\n"));
  const warnings = skippedWarnings(readCaptions(file, "und"));
  expect(new Set(warnings.map(({ field }) => field))).toEqual(new Set(warnings.length === 0 ? [] : ["body"]));
  return warnings.map(({ message }) => message);
};

test("captions that are left out are named by their time and the reason", () => {
  expect(
    warningsOf(
      "00:05.000 --> 00:05.000\nNo duration.",
      "01:00:06.500 --> 01:00:07.000\n",
      "00:08.000 -> 00:09.000\nNo arrow.",
      "00:08,000 --> soon\nNo time.",
      "200:00:00.000 --> 200:00:01.000\nFar away.",
    ),
  ).toEqual([
    "the caption at 00:00:05.000 was left out: it does not end after its start",
    "the caption at 01:00:06.500 was left out: it has no text",
    "a caption was left out: its times cannot be read: `00:08.000 -> 00:09.000`",
    "a caption was left out: its times cannot be read: `00:08,000 --> soon`",
    "the caption at 200:00:00.000 was left out: it starts after 100 hours",
  ]);
  expect(warningsOf("-00:03.000 --> -00:01.000\nBefore.", "NOTE of --> and 00:01 -> 00:02")).toEqual([
    "a caption was left out: it ends before the start of the media",
  ]);
});

test("the others are counted", () => {
  const empty = (count: number) => Array.from({ length: count }, (_, n) => `00:1${n}.000 --> 00:1${n}.000\nx`);
  expect(warningsOf(...empty(6)).slice(5)).toEqual(["1 more caption was left out"]);
  expect(warningsOf(...empty(8)).slice(5)).toEqual(["3 more captions were left out"]);
  expect(warningsOf()).toEqual([]);
});
