import { expect, test } from "vitest";
import type { SourceFacts } from "../../../../protocol/source-facts.ts";
import { copiedTakes, suitTopRung } from "../../../../src/library/encoding/copied-takes.ts";
import type { Montage } from "../../../../src/media/edits/montage.ts";
import type { CopyFacts } from "../../../../src/media/mp4/index-source.ts";

const RATE = { num: 30_000, den: 1001 };
/** Segments of 120 pictures. */
const copyOf = (frameCount: number, more: Partial<CopyFacts> = {}): CopyFacts => ({
  configuration: "640,360,01",
  frameRate: RATE,
  frameCount,
  bitrateBps: 500_000,
  ...more,
});
const pictureMs = (frameCount: number) => (frameCount * 1001) / 30;
const video = {
  streamIndex: 0,
  codec: "h264",
  widthPx: 640,
  heightPx: 360,
  rotationDegrees: 0,
  frameRate: RATE,
  variableFrameRate: false,
  interlaced: false,
  bitDepth: 8,
  hdr: null,
  startMs: 0,
  durationMs: 0,
  bitrateBps: 0,
} as const;
const factsOf = (frameCount: number, more: Partial<SourceFacts["video"] & object> = {}, soundMs = 0): SourceFacts => ({
  containerFormat: "mp4",
  durationMs: pictureMs(frameCount) + soundMs,
  video: { ...video, durationMs: pictureMs(frameCount), ...more },
  audio: [],
});
const whole = (...files: number[]): Montage => ({
  files: [...new Set(files)].map((file) => ({ url: `https://example.com/${file}.mp4`, path: `inputs[${file}].url` })),
  takes: files.map((file) => ({ file, startMs: 0, endMs: null })),
  operations: [],
});

test("the last file of a join may end anywhere, and a file may come twice", () => {
  const takes = copiedTakes(whole(0, 0, 1), [factsOf(240), factsOf(77)], [copyOf(240), copyOf(77)]);
  expect(takes).toEqual([
    { file: 0, frameCount: 240, durationMs: pictureMs(240) },
    { file: 0, frameCount: 240, durationMs: pictureMs(240) },
    { file: 1, frameCount: 77, durationMs: pictureMs(77) },
  ]);
});

const pair = [factsOf(240), factsOf(77)];
const copies = [copyOf(240), copyOf(77)];
test.each([
  ["a file ends inside of a segment", whole(0, 1), [factsOf(180), factsOf(77)], [copyOf(180), copyOf(77)]],
  ["parameters of the codec differ", whole(0, 1), pair, [copyOf(240), copyOf(77, { configuration: "640,360,02" })]],
  ["an index says another rate", whole(0, 1), pair, [copyOf(240), copyOf(77, { frameRate: { num: 30, den: 1 } })]],
  [
    "the encoder sees another rate",
    whole(0, 1),
    [factsOf(240), factsOf(77, { frameRate: { num: 30, den: 1 } })],
    copies,
  ],
  ["a picture begins late", whole(0, 1), [factsOf(240), factsOf(77, { startMs: 33 })], copies],
  ["sound outlasts its picture", whole(0, 1), [factsOf(240, {}, 300), factsOf(77)], copies],
  ["a file cannot be copied", whole(0, 1), pair, [copyOf(240), null]],
  ["an index was not read", whole(0, 1), pair, [copyOf(240)]],
  ["there is one take", whole(0), pair.slice(0, 1), copies.slice(0, 1)],
  [
    "a range is cut out",
    {
      ...whole(0, 1),
      takes: [
        { file: 0, startMs: 0, endMs: 4004 },
        { file: 1, startMs: 0, endMs: null },
      ],
    },
    pair,
    copies,
  ],
] as const)("nothing is copied when %s", (_why, montage, files, facts) => {
  expect(copiedTakes(montage as Montage, files, facts)).toBeNull();
});

test("what is copied has the size of the first rung, and its bitrate at most", () => {
  const rung = { name: "v360", widthPx: 640, heightPx: 360, crf: 20, maxBitrateBps: 500_000, preset: "veryfast" };
  const planned = { source: video, rungs: [rung] };
  expect(suitTopRung(planned, copies)).toBe(true);
  expect(suitTopRung(planned, [copyOf(240), copyOf(77, { bitrateBps: 500_001 })])).toBe(false);
  expect(suitTopRung({ source: video, rungs: [{ ...rung, heightPx: 270 }] }, copies)).toBe(false);
});
