/** The renditions of a clip, out of those of its media and of what is encoded again. */
import { describe, expect, test } from "vitest";
import { assembleClip, type CutRendition } from "../../../../src/library/encoding/assemble-clip.ts";
import type { ClipCut } from "../../../../src/library/encoding/clip-cut.ts";
import { locate } from "../../../../src/media/clips/shared-rendition.ts";
import type { Rendition } from "../../../../src/media/manifest/model.ts";

const cut: ClipCut = {
  source: { ownerId: "film", startMs: 0, endMs: null, fileRange: { startMs: 0, endMs: null }, video: null },
  startMs: 6000,
  endMs: 13_000,
  mediaStartMs: 6000,
  mediaEndMs: 13_000,
  frames: { first: 150, end: 325 },
  firstSegment: 1,
  endSegment: 4,
  hasHead: true,
  hasTail: true,
};
const five = <T>(one: T): T[] => Array.from({ length: 5 }, () => one);
const row = (change: Partial<Rendition>): Rendition => ({
  name: "v270",
  kind: "video",
  origin: "ladder",
  isWhole: true,
  isTopRung: false,
  arrivedSegments: null,
  codec: "avc1.64000d",
  widthPx: 480,
  heightPx: 270,
  frameRateNum: 25,
  frameRateDen: 1,
  channels: null,
  languageCode: null,
  languageName: null,
  isDefault: false,
  isDescription: false,
  timescale: 25,
  initBytes: 700,
  segments: { durationTicks: five(100), bytes: [10, 20, 30, 40, 50], keyframes: five([[0, 5]]) },
  ...change,
});
const edge = (durationTicks: number, bytes: number) => ({ durationTicks, bytes, keyframes: [] });
const picture: CutRendition = { row: row({}), head: edge(50, 7), tail: edge(25, 3), ownInit: null };
const sound: CutRendition = {
  name: "clip-a1",
  row: row({
    name: "a1",
    kind: "audio",
    timescale: 48_000,
    segments: { durationTicks: five(192_512), bytes: five(9), keyframes: five([]) },
  }),
  head: { ...edge(97_280, 4), startTicks: 287_744 },
  tail: edge(48_128, 2),
  ownInit: null,
};
/** The source itself, in ticks of its own. */
const top: CutRendition = {
  row: row({
    name: "source-v",
    origin: "passthrough",
    isTopRung: true,
    codec: "avc1.4d401e",
    timescale: 12_800,
    segments: { durationTicks: five(51_200), bytes: five(99), keyframes: five([]) },
  }),
  head: edge(50, 8),
  tail: edge(25, 6),
  ownInit: { bytes: 600, sha256: "", codec: "avc1.64001e" },
};

describe("edges that fit the media's init segments", () => {
  const [video, audio] = assembleClip("clip", cut, [picture, sound]);

  test("make one span on the media's timeline, of their own bytes and shared ones", () => {
    expect(video!.row).toMatchObject({ assetId: "clip", name: "clip-v270", origin: "ladder", isWhole: true });
    expect(video!.row.segments).toEqual({
      durationTicks: [50, 100, 25],
      bytes: [7, 30, 3],
      keyframes: [[], [[0, 5]], []],
      ownBytes: 10,
      spans: [{ first: 0, initVersion: 0, startTicks: 150, capturedAtMs: null, isDiscontinuous: false }],
    });
    expect(audio!.row.segments.spans).toEqual([
      { first: 0, initVersion: 0, startTicks: 287_744, capturedAtMs: null, isDiscontinuous: false },
    ]);
  });

  test("are found by the clip's numbers, and what is shared by the media's", () => {
    const at = (file: number | "init" | "init-0" | "init-1") =>
      locate(video!.shared, { assetId: "clip", rendition: "clip-v270", file });
    expect([0, 1, 2].map((n) => at(n)).map((found) => found && [found.assetId, found.rendition, found.file])).toEqual([
      ["clip", "clip-v270", 0],
      ["film", "v270", 2],
      ["clip", "clip-v270", 2],
    ]);
    expect(at("init-0")).toMatchObject({ assetId: "film", rendition: "v270", file: "init" });
    expect([at(3), at("init-1")]).toEqual([null, null]);
  });
});

test("edges that need another init segment begin spans at the same segments in every rendition", () => {
  const [source, audio] = assembleClip("clip", cut, [top, sound]);
  const spans = (one: typeof source) =>
    one!.row.segments.spans!.map(({ first, initVersion, startTicks, isDiscontinuous }) => [
      first,
      initVersion,
      startTicks,
      isDiscontinuous,
    ]);
  expect(spans(source)).toEqual([
    [0, 0, 150, false],
    [1, 1, 200, true],
    [2, 0, 300, true],
  ]);
  expect(spans(audio)).toEqual([
    [0, 0, 287_744, false],
    [1, 0, 385_024, true],
    [2, 0, 577_536, true],
  ]);
  expect(source!.row).toMatchObject({ name: "clip-source-v", timescale: 25, codec: "avc1.64001e" });
  expect(source!.row.segments).toMatchObject({ durationTicks: [50, 100, 25], ownBytes: 614 });
  expect(source!.row.segments.formats!.map(({ version, codec }) => [version, codec])).toEqual([
    [0, "avc1.64001e"],
    [1, "avc1.4d401e"],
  ]);
  const find = (file: number | "init-0" | "init-1") =>
    locate(source!.shared, { assetId: "clip", rendition: "clip-source-v", file });
  expect(find("init-0")).toMatchObject({ assetId: "clip", file: "init" });
  expect(find("init-1")).toMatchObject({ assetId: "film", rendition: "source-v", file: "init" });
  expect([find(0)!.initFile, find(1)!.initFile]).toEqual(["init-0", "init-1"]);
});
