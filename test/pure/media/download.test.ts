/** Files for download, which are assembled from segments. */
import { describe, expect, test } from "vitest";
import { layoutOf, piecesIn } from "../../../src/media/download/layout.ts";
import { mergeInits } from "../../../src/media/download/merge-inits.ts";
import { retargetSegment } from "../../../src/media/download/retarget-segment.ts";
import { downloadTracks } from "../../../src/media/download/tracks.ts";
import type { Rendition } from "../../../src/media/manifest/model.ts";
import type { Span } from "../../../src/media/types.ts";
import { ByteWriter } from "../../../src/media/mp4/byte-writer.ts";
import { writeInitSegment } from "../../../src/media/mp4/init-segment.ts";
import { readSelection } from "../../../src/media/manifest/selection.ts";
import { planDownload } from "../../../src/playback/download-plan.ts";

const video = writeInitSegment({
  kind: "video",
  timescale: 15_000,
  widthPx: 640,
  heightPx: 360,
  avcC: new Uint8Array(8),
  colr: null,
});
const audio = writeInitSegment({
  kind: "audio",
  timescale: 48_000,
  sampleRateHz: 48_000,
  channels: 2,
  audioSpecificConfig: new Uint8Array(2),
});

/** One fragment without samples. */
function segment(trackId: number, decodeTicks: number, version: 0 | 1 = 1): Uint8Array {
  const out = new ByteWriter();
  out.box("moof", () =>
    out.box("traf", () => {
      out.fullBox("tfhd", 0, 0, () => out.u32(trackId));
      out.fullBox("tfdt", version, 0, () => (version === 1 ? out.u64(decodeTicks) : out.u32(decodeTicks)));
    }),
  );
  out.box("mdat", () => undefined);
  return out.written().slice();
}

const rendition = (change: Partial<Rendition> & { spans?: Span[]; bytes?: number[] }) =>
  ({
    name: "v",
    kind: "video",
    timescale: 30,
    segments: {
      durationTicks: [120, 120, 60],
      bytes: change.bytes ?? [10, 20, 30],
      keyframes: [],
      ...(change.spans === undefined ? {} : { spans: change.spans }),
    },
    ...change,
  }) as unknown as Rendition;
const span = (first: number, startTicks: number, initVersion = 0): Span => ({
  first,
  startTicks,
  initVersion,
  capturedAtMs: 0,
  isDiscontinuous: first > 0,
});

test("the tracks of a file are numbered, and its header says the next number and the duration", () => {
  const { bytes, timescales } = mergeInits([video, audio], 12.5);
  expect(timescales).toEqual([15_000, 48_000]);
  const view = new DataView(bytes.buffer);
  const at = (type: string, nth = 0) => {
    let found = -1;
    for (let n = 0; n <= nth; n += 1) found = Buffer.from(bytes).indexOf(type, found + 1);
    return found + 4;
  };
  expect([view.getUint32(at("tkhd") + 12), view.getUint32(at("tkhd", 1) + 12)]).toEqual([1, 2]);
  expect([view.getUint32(at("trex") + 4), view.getUint32(at("trex", 1) + 4)]).toEqual([1, 2]);
  expect(view.getUint32(at("mvhd") + 96)).toBe(3);
  expect(Number(view.getBigUint64(at("mehd") + 4))).toBe(12_500);
});

test.each([
  ["no box", new Uint8Array()],
  ["a box that is cut off", video.slice(0, -1)],
  ["no track", video.slice(0, 28)],
])("an init segment with %s is refused", (_, init) => {
  expect(() => mergeInits([init], 1)).toThrow(/box/);
});

describe("the fragments of a segment", () => {
  test.each([0, 1] as const)("get their track and times, with times of version %i", (version) => {
    const bytes = segment(1, 90_000, version);
    retargetSegment(bytes, { trackId: 2, shiftTicks: -60_000 });
    expect(bytes).toEqual(segment(2, 30_000, version));
  });

  test("keep what is not asked for, and never begin before 0", () => {
    const bytes = segment(7, 10);
    retargetSegment(bytes, { trackId: null, shiftTicks: -20 });
    expect(bytes).toEqual(segment(7, 0));
  });

  test("of a damaged segment are refused", () => {
    expect(() => retargetSegment(segment(1, 0).slice(0, 30), { trackId: 2, shiftTicks: 0 })).toThrow("damaged");
  });
});

describe("the layout of a file", () => {
  const init = { bytes: new Uint8Array(100), timescales: [15_000, 48_000] };

  test("interleaves its tracks, and its index has a reference for each pair of segments, in the track's ticks", () => {
    const { header, pieces, size } = layoutOf(init, [
      rendition({}),
      rendition({ bytes: [1, 2, 3], timescale: 48_000 }),
    ])!;
    expect(pieces.map(({ track, segment: n }) => [track, n])).toEqual([
      [0, 0],
      [1, 0],
      [0, 1],
      [1, 1],
      [0, 2],
      [1, 2],
    ]);
    expect([pieces[0]!.offset, size]).toEqual([header.length, header.length + 66]);
    const view = new DataView(header.buffer, 100);
    expect([view.getUint32(0), view.getUint32(16), view.getUint16(38)]).toEqual([header.length - 100, 15_000, 3]);
    const references = [0, 1, 2].map((n) => [view.getUint32(40 + n * 12), view.getUint32(44 + n * 12)]);
    expect(references).toEqual([
      [11, 60_000],
      [22, 60_000],
      [33, 30_000],
    ]);
  });

  test("has no byte of a segment that was lost, and keeps its time", () => {
    const { header, pieces } = layoutOf(init, [rendition({ bytes: [10, 0, 30] })])!;
    expect(pieces.map(({ segment: n }) => n)).toEqual([0, 2]);
    const view = new DataView(header.buffer, 100);
    expect([view.getUint16(38), view.getUint32(44), view.getUint32(56)]).toEqual([2, 120_000, 30_000]);
  });

  test("finds the segments of any range of bytes", () => {
    const layout = layoutOf(init, [rendition({})])!;
    const start = layout.header.length;
    const inRange = (from: number, to: number) => piecesIn(layout, from, to).map(({ segment: n }) => n);
    expect(inRange(0, start)).toEqual([]);
    expect(inRange(0, start + 1)).toEqual([0]);
    expect(inRange(start + 9, start + 11)).toEqual([0, 1]);
    expect(inRange(start + 10, start + 30)).toEqual([1]);
    expect(inRange(0, layout.size)).toEqual([0, 1, 2]);
  });
});

describe("the times of a recording", () => {
  test("begin at 0 and have no jump, and sound and picture stay together", () => {
    const spans = (startSeconds: number[], timescale: number) =>
      startSeconds.map((start, first) => span(first, start * timescale));
    const { shiftSeconds } = downloadTracks([
      rendition({ spans: spans([100, 500, 504], 30) }),
      rendition({ timescale: 48_000, spans: spans([99.5, 500, 504.5], 48_000) }),
    ])!;
    expect([0, 1, 2].map(shiftSeconds)).toEqual([-99.5, -496, -496]);
  });

  test("of a media that was not broadcast stay as they are", () => {
    expect(downloadTracks([rendition({})])!.shiftSeconds(2)).toBe(0);
  });

  test("a broadcast that changed its format has no file", () => {
    expect(downloadTracks([rendition({ spans: [span(0, 0), span(1, 120, 1)] })])).toBeNull();
  });
});

describe("the file", () => {
  const [small, large, huge] = [480, 2160, 4320].map((heightPx) =>
    rendition({ name: `v${heightPx}`, heightPx, widthPx: (heightPx * 16) / 9 }),
  ) as [Rendition, Rendition, Rendition];
  const ALL = readSelection(new URLSearchParams());
  const [first, usual] = [rendition({ name: "a1" }), rendition({ name: "a2", isDefault: true })];
  const names = (tracks: ReturnType<typeof planDownload>) => tracks?.renditions.map(({ name }) => name);

  test("has the largest picture of at most 2160p, and the usual sound", () => {
    const all = { video: [small, huge, large], audio: [first, usual] };
    expect(names(planDownload("capped-4k", all, ALL))).toEqual(["v2160", "a2"]);
    expect(names(planDownload("audio", all, ALL))).toEqual(["a2"]);
    expect(names(planDownload("capped-4k", { video: [small], audio: [] }, ALL))).toEqual(["v480"]);
  });

  test.each([
    ["resolution=480p", "v480"],
    ["resolution=720p", "v480"],
    ["maxResolution=1080p", "v480"],
    ["resolution=2160p", "v2160"],
  ])("with %s has the picture that a manifest would offer: %s", (query, name) => {
    const selection = readSelection(new URLSearchParams(query));
    expect(names(planDownload("capped-4k", { video: [huge, large, small], audio: [] }, selection))).toEqual([name]);
  });

  test("does not exist without its track", () => {
    expect(planDownload("capped-4k", { video: [], audio: [first] }, ALL)).toBeNull();
    expect(planDownload("audio", { video: [small], audio: [] }, ALL)).toBeNull();
  });
});
