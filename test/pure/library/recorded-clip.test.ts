/** Clips of recordings: each edge comes out of one segment, and the recording's spans stay. */
import { describe, expect, test } from "vitest";
import { assembleClip } from "../../../src/library/encoding/assemble-clip.ts";
import { planClip } from "../../../src/library/encoding/clip-plan.ts";
import { locate } from "../../../src/media/clips/shared-rendition.ts";
import type { Rendition } from "../../../src/media/manifest/model.ts";

const SOURCE = {
  ownerId: "recording",
  startMs: 0,
  endMs: null,
  fileRange: { startMs: 0, endMs: null },
  isRecorded: true,
  video: null,
} as const;
/** Two spans of three segments of 2 s: the broadcaster came back 100 s later, with another format. */
const spansFrom = (timescale: number) =>
  [
    { first: 0, initVersion: 0, startTicks: 10 * timescale, isDiscontinuous: false },
    { first: 3, initVersion: 1, startTicks: 116 * timescale, isDiscontinuous: true },
  ].map((span) => ({ ...span, capturedAtMs: 0 }));
const six = <T>(one: T): T[] => Array.from({ length: 6 }, () => one);
const row = (change: Partial<Rendition>): Rendition => ({
  name: "v480",
  kind: "video",
  origin: "ladder",
  isWhole: true,
  isTopRung: false,
  arrivedSegments: null,
  codec: "avc1.42c01e",
  widthPx: 854,
  heightPx: 480,
  frameRateNum: 30,
  frameRateDen: 1,
  channels: null,
  languageCode: null,
  languageName: null,
  isDefault: false,
  isDescription: false,
  timescale: 60_000,
  initBytes: 700,
  segments: {
    durationTicks: six(120_000),
    bytes: six(250_000),
    keyframes: six([]),
    spans: spansFrom(60_000),
    formats: [
      { version: 0, codec: "avc1.42c01e", widthPx: 854, heightPx: 480, frameRate: 30 },
      { version: 1, codec: "avc1.42c01f", widthPx: 640, heightPx: 360, frameRate: 30 },
    ],
  },
  ...change,
});
const plan = (startMs: number, endMs: number | null, rows = [row({})]) => planClip(SOURCE, { startMs, endMs }, rows);

test("the edges are frames of the first and of the last segment, decoded from these", () => {
  const { cut, plan: planned } = plan(2500, 7900)!;
  expect(cut).toMatchObject({ firstSegment: 1, endSegment: 4, hasHead: true, hasTail: true });
  expect([cut.startMs, cut.endMs, cut.mediaStartMs, cut.mediaEndMs].map(Math.round)).toEqual([
    2500, 7900, 12_500, 117_900,
  ]);
  expect(cut.edges).toEqual([
    { rendition: "v480", initFile: "init-0", segment: 1, mediaSeconds: 12 },
    { rendition: "v480", initFile: "init-1", segment: 3, mediaSeconds: 116 },
  ]);
  expect(planned.video!.chunks).toEqual([
    { firstFrame: 15, frameCount: 45, firstSegment: 0 },
    { firstFrame: 0, frameCount: 57, firstSegment: 2 },
  ]);
  expect(planned.video!.grid.framesPerSegment).toBe(60);
  expect(planned.video!.rungs).toMatchObject([{ name: "edge-clip-v480", maxBitrateBps: 2_000_000 }]);
});

describe("what is cut", () => {
  test.each([
    ["one segment from its start", 2000, 3000, { firstSegment: 1, endSegment: 2, hasHead: true, hasTail: false }],
    ["whole segments", 2000, 6000, { firstSegment: 1, endSegment: 3, hasHead: false, hasTail: false }],
    ["to the end", 5000, null, { firstSegment: 2, endSegment: 6, hasHead: true, hasTail: false }],
    ["from the last moment of a segment", 1999, 4000, { firstSegment: 1, endSegment: 2, hasHead: false }],
  ])("%s", (_, startMs, endMs, expected) => {
    expect(plan(startMs, endMs)!.cut).toMatchObject(expected);
  });

  test("nothing, behind the end and between two frames", () => {
    expect([plan(12_000, null), plan(1005, 1020)]).toEqual([null, null]);
  });

  test("no segment without a picture", () => {
    const { segments } = row({});
    const lost = row({ segments: { ...segments, bytes: segments.bytes.map((size, n) => (n === 1 ? 0 : size)) } });
    expect(plan(2500, 6000, [lost])!.cut).toMatchObject({ firstSegment: 1, hasHead: false });
  });
});

test("spans of the recording and edges are spans of the clip, each with its init segment and its clock", () => {
  const { cut } = plan(2500, 7900)!;
  const edge = (durationTicks: number, startTicks: number) => ({ durationTicks, startTicks, bytes: 9, keyframes: [] });
  const [made] = assembleClip("clip", cut, [
    {
      row: row({}),
      head: edge(45, 12.5 * 60_000),
      tail: edge(57, 116 * 60_000),
      ownInit: { bytes: 600, sha256: "", codec: "avc1.64001e" },
    },
  ]);
  const { segments, timescale } = made!.row;
  expect(timescale).toBe(60_000);
  expect(segments.durationTicks).toEqual([90_000, 120_000, 114_000]);
  expect(segments.spans!.map((span) => [span.first, span.initVersion, span.startTicks / 60_000])).toEqual([
    [0, 0, 12.5],
    [1, 1, 14],
    [2, 0, 116],
  ]);
  expect(segments.formats!.map(({ codec, widthPx }) => [codec, widthPx])).toEqual([
    ["avc1.64001e", 854],
    ["avc1.42c01e", 854],
  ]);
  const at = (file: number | "init-0" | "init-1") =>
    locate(made!.shared, { assetId: "clip", rendition: "clip-v480", file })!;
  expect([at(0), at(1), at(2)].map(({ assetId, file }) => [assetId, file])).toEqual([
    ["clip", 0],
    ["recording", 2],
    ["clip", 2],
  ]);
  expect([at("init-0"), at("init-1")].map(({ assetId, file }) => [assetId, file])).toEqual([
    ["clip", "init"],
    ["recording", "init-0"],
  ]);
});
