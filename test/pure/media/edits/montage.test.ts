import { describe, expect, test } from "vitest";
import { type EditedVideo, keptRanges, type Montage, montageOf } from "../../../../src/media/edits/montage.ts";
import { resolveTakes } from "../../../../src/media/edits/resolve-takes.ts";

const video = (more: Partial<EditedVideo> = {}): EditedVideo => ({
  url: "film",
  path: "inputs[0]",
  startMs: 0,
  endMs: null,
  introUrl: null,
  outroUrl: null,
  expunged: [],
  insertions: [],
  ...more,
});

/** The takes in words: "film 0-2000", "ad 0-". */
const said = (montage: Montage | null) =>
  montage?.takes.map(({ file, startMs, endMs }) => `${montage.files[file]!.url} ${startMs}-${endMs ?? ""}`);

describe("the takes of a request", () => {
  test("a single video without edits is no montage, also if only a range of it is wanted", () => {
    expect(montageOf([video()])).toBeNull();
    expect(montageOf([video({ startMs: 1000, endMs: 2000 })])).toBeNull();
  });

  test("intro and outro are put around a video", () => {
    const montage = montageOf([video({ introUrl: "logo", outroUrl: "credits", startMs: 500 })]);
    expect(said(montage)).toEqual(["logo 0-", "film 500-", "credits 0-"]);
    expect(montage!.operations).toEqual(["intro", "outro"]);
  });

  test("the first file is that of the first video, also behind an intro, and each says where the request names it", () => {
    const montage = montageOf([
      video({ introUrl: "logo", insertions: [{ url: "ad", atMs: 5 }] }),
      video({ url: "more", path: "inputs[2]" }),
    ]);
    expect(montage!.files).toEqual([
      { url: "film", path: "inputs[0].url" },
      { url: "logo", path: "inputs[0].introUrl" },
      { url: "ad", path: "inputs[0].segments[0].url" },
      { url: "more", path: "inputs[2].url" },
    ]);
  });

  test("several videos follow each other in order, and a file that is used twice is one file", () => {
    const montage = montageOf([video(), video({ url: "second" }), video({ endMs: 3000 })]);
    expect(said(montage)).toEqual(["film 0-", "second 0-", "film 0-3000"]);
    expect(montage!.files).toHaveLength(2);
    expect(montage!.operations).toEqual([]);
  });

  test("ranges are cut out", () => {
    const expunged = [
      { startMs: 8000, endMs: 9000 },
      { startMs: 4000, endMs: 6000 },
    ];
    const montage = montageOf([video({ expunged })]);
    expect(said(montage)).toEqual(["film 0-4000", "film 6000-8000", "film 9000-"]);
    expect(montage!.operations).toEqual(["expunge"]);
  });

  test("clips are put in where they are wanted, in the order of their times and then of the request", () => {
    const insertions = [
      { url: "end", atMs: null },
      { url: "b", atMs: 4000 },
      { url: "c", atMs: 4000 },
      { url: "a", atMs: 0 },
    ];
    const montage = montageOf([video({ endMs: 10_000, insertions })]);
    expect(said(montage)).toEqual(["a 0-", "film 0-4000", "b 0-", "c 0-", "film 4000-10000", "end 0-"]);
    expect(montage!.operations).toEqual(["splice"]);
  });

  test("a clip that is wanted where something is cut out takes its place", () => {
    const expunged = [{ startMs: 4000, endMs: 6000 }];
    const montage = montageOf([video({ expunged, insertions: [{ url: "ad", atMs: 5000 }] })]);
    expect(said(montage)).toEqual(["film 0-4000", "ad 0-", "film 6000-"]);
  });
});

test("what is left when the start, the end or everything is cut out", () => {
  const kept = (endMs: number | null, ...expunged: [number, number][]) =>
    keptRanges({ startMs: 1000, endMs, expunged: expunged.map(([from, to]) => ({ startMs: from, endMs: to })) }).map(
      ({ startMs, endMs: end }) => [startMs, end],
    );
  expect(kept(null, [0, 3000])).toEqual([[3000, null]]);
  expect(kept(5000, [4000, 9000])).toEqual([[1000, 4000]]);
  expect(kept(5000, [0, 3000], [3000, 9000])).toEqual([]);
});

describe("the ends of files", () => {
  const montage = (...takes: [number, number, number | null][]): Montage => ({
    files: [
      { url: "film", path: "inputs[0].url" },
      { url: "ad", path: "inputs[0].segments[0].url" },
    ],
    takes: takes.map(([file, startMs, endMs]) => ({ file, startMs, endMs })),
    operations: [],
  });

  test("takes end with their files", () => {
    expect(resolveTakes(montage([0, 0, 4000], [1, 0, null], [0, 4000, 99_000]), [10_000, 5000])).toEqual({
      takes: [
        { file: 0, startMs: 0, endMs: 4000 },
        { file: 1, startMs: 0, endMs: 5000 },
        { file: 0, startMs: 4000, endMs: 10_000 },
      ],
    });
  });

  test("a take that begins about where its file ends is left out", () => {
    const resolved = resolveTakes(montage([0, 0, 9990], [1, 0, null], [0, 9990, null]), [9980, 5000]);
    expect(resolved).toMatchObject({ takes: [{ file: 0, endMs: 9980 }, { file: 1 }] });
  });

  test("a take that begins behind the end of its file is a problem that names the file", () => {
    expect(resolveTakes(montage([0, 0, 4000], [1, 80_000, null]), [10_000, 5000])).toEqual({
      problem: "inputs[0].segments[0].url: the file is 5.0 seconds long, and has nothing from 80.0 seconds on.",
    });
    expect(resolveTakes(montage([0, 10_500, null]), [10_000])).toEqual({ problem: "Nothing is left of the inputs." });
  });
});
