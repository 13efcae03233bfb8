/** What a report says of a scan: sums, costs, losses, and its forms. */
import { describe, expect, test } from "vitest";
import { waitText } from "../../../sdk/cli/terminal/units.ts";
import type { BatchSettings } from "../../../src/imports/batches/batch-calls.ts";
import { mediaFieldsOf } from "../../../src/imports/batches/media-fields.ts";
import { estimateOf } from "../../../src/imports/report/estimate.ts";
import { addVideo, NO_TOTALS } from "../../../src/imports/report/totals.ts";
import { bytesWords, durationWords, hoursWords, usdWords } from "../../../src/imports/report/words.ts";
import type { ListedVideo } from "../../../src/imports/sources/source.ts";

const SETTINGS: BatchSettings = {
  accessPolicy: "asSource",
  maxResolution: "1080p",
  mediaQuality: "standard",
  mp4Support: "none",
  captions: true,
  metadata: null,
};
const VIDEO: ListedVideo = {
  id: "v1",
  title: "A film",
  createdAt: "2020-01-02T03:04:05Z",
  durationMs: 60_000,
  bytes: 31_000_000,
  widthPx: 1920,
  heightPx: 1080,
  policy: "public",
  playbackIds: [{ id: "old", policy: "public" }],
  creatorId: null,
  tags: [],
  folder: null,
  metadata: {},
  captions: [],
  audioTracks: 1,
  chapters: [],
  obstacle: null,
  left: [],
  ref: {},
};

const totalsOf = (videos: ListedVideo[], settings = SETTINGS) => {
  const totals = structuredClone(NO_TOTALS);
  for (const video of videos) addVideo(totals, video, settings);
  return totals;
};
const DEPLOYED = { encoders: 20, pace: null, ordersFiles: false };

describe("the estimate", () => {
  test("of a thousand minutes of 1080p is that of the page about costs", () => {
    const totals = totalsOf(Array.from({ length: 17 }, () => ({ ...VIDEO, durationMs: 3_600_000, bytes: null })));
    const { hours, onceUsd, monthlyUsd, storedBytes, encodingSeconds, isBytesEstimated } = estimateOf(
      totals,
      SETTINGS,
      DEPLOYED,
    );
    expect([hours, isBytesEstimated]).toEqual([17, true]);
    // 1,020 min × (101 × $0.00002 + 30 × $0.0000314) and the writes; 59 MB a minute are stored.
    expect(onceUsd).toBeCloseTo(1020 * (0.00202 + 30 * 0.0000314 + 83 * 0.0000045), 1);
    expect(storedBytes).toBe(1020 * 59e6);
    expect(monthlyUsd).toBeCloseTo(60.18 * 0.015, 2);
    expect(encodingSeconds).toBe((1020 * 30) / 20);
  });

  test("assumes five minutes where the source says no duration", () => {
    const totals = totalsOf([{ ...VIDEO, durationMs: null }]);
    expect(estimateOf(totals, SETTINGS, DEPLOYED)).toMatchObject({ hours: 5 / 60, isHoursEstimated: true });
  });

  test("encodes less of smaller pictures and of a lower limit", () => {
    const cost = (video: ListedVideo, settings = SETTINGS) =>
      estimateOf(totalsOf([video]), settings, DEPLOYED).encodingSeconds;
    const long = { ...VIDEO, durationMs: 36_000_000 };
    expect(cost({ ...long, heightPx: 480 })).toBeLessThan(cost(long) / 3);
    expect(cost(long, { ...SETTINGS, maxResolution: "480p" })).toBe(cost({ ...long, heightPx: 480 }));
  });

  test("is bound by the source's rates, if these are slower", () => {
    const totals = totalsOf(Array.from({ length: 1000 }, () => VIDEO));
    const pace = { readsPerSecond: 5, writesPerSecond: 1, concurrency: 4 };
    expect(estimateOf(totals, SETTINGS, { ...DEPLOYED, encoders: 1000, pace }).totalSeconds).toBe(600);
    expect(
      estimateOf(totals, SETTINGS, { ...DEPLOYED, encoders: 1000, pace, ordersFiles: true }).totalSeconds,
    ).toBeGreaterThanOrEqual(1000);
  });

  test("of nothing costs nothing", () => {
    expect(estimateOf(totalsOf([]), SETTINGS, DEPLOYED)).toMatchObject({
      hours: 0,
      onceUsd: 0,
      monthlyUsd: 0,
      totalSeconds: 0,
    });
  });
});

describe("the sums", () => {
  test("leave out what cannot be fetched, and say why", () => {
    const obstacle = { code: "archived", message: "" } as const;
    expect(totalsOf([VIDEO, { ...VIDEO, obstacle }])).toMatchObject({ videos: 1, obstacles: { archived: 1 } });
  });

  test("group what will be lost", () => {
    const long = { ...VIDEO, title: "x".repeat(10_000), left: ["burnt-in watermark"] };
    expect(totalsOf([long, long, VIDEO]).losses).toEqual({
      "burnt-in watermark": 2,
      "title: it is cut to 255 characters": 2,
    });
  });

  test("tell sizes apart by their shorter edges", () => {
    const sizes = [
      [1920, 1080],
      [1080, 1920],
      [320, 240],
      [3840, 2160],
      [null, 720],
      [null, null],
    ] as const;
    const videos = sizes.map(([widthPx, heightPx]) => ({ ...VIDEO, widthPx, heightPx }));
    const { heights } = totalsOf(videos);
    const counts = Object.fromEntries(Object.entries(heights).map(([name, found]) => [name, found.videos]));
    expect(counts).toEqual({ "1080": 2, "480": 1, "2160": 1, "720": 1, unknown: 1 });
  });

  test("keep at most fifty kinds of losses", () => {
    const videos = Array.from({ length: 80 }, (_, n) => ({ ...VIDEO, left: [`thing ${n}`] }));
    const { losses } = totalsOf(videos);
    expect(Object.keys(losses)).toHaveLength(51);
    expect(Object.values(losses).reduce((sum, n) => sum + n, 0)).toBe(80);
  });
});

describe("the fields of a media", () => {
  const fieldsOf = (video: Partial<ListedVideo>, settings: Partial<BatchSettings> = {}) =>
    mediaFieldsOf({ ...VIDEO, ...video }, { ...SETTINGS, ...settings });

  test("have the id at the source, spelled as the contract has it, and the time of creation", () => {
    expect(fieldsOf({}).metadata).toEqual({ originPlaformVideoId: "v1", originCreatedAt: "2020-01-02T03:04:05Z" });
  });

  test("have at most ten pairs, and say what was left out", () => {
    const metadata = Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`k${n}`, "v"]));
    const { metadata: kept, cut } = fieldsOf({ metadata });
    expect(Object.keys(kept)).toEqual(["originPlaformVideoId", ...Array.from({ length: 9 }, (_, n) => `k${n}`)]);
    expect(cut).toEqual([{ field: "metadata", message: expect.stringContaining("at most 10 pairs") }]);
  });

  test("have those of the map alone, under their new names", () => {
    const { metadata } = fieldsOf({ metadata: { external_id: "7", other: "x" } }, { metadata: { external_id: "sku" } });
    expect(metadata).toEqual({ originPlaformVideoId: "v1", sku: "7" });
  });

  test("cut long texts between characters, and replace control characters", () => {
    const { title, cut } = fieldsOf({ title: `${"a".repeat(254)}😀 end` });
    expect([title?.length, title?.isWellFormed(), cut.length]).toEqual([254, true, 1]);
    expect(fieldsOf({ title: "A\u0000 film\n" })).toMatchObject({ title: "A  film", cut: [{ field: "title" }] });
    expect(fieldsOf({ title: "\u0007" }).title).toBeNull();
  });

  test.for([
    ["public", "asSource", "public", 0],
    ["private", "asSource", "private", 0],
    ["drm", "asSource", "private", 1],
    ["private", "public", "public", 1],
    ["public", "private", "private", 0],
  ] as const)("of a %s video with the setting %s are %s", ([policy, accessPolicy, expected, differences]) => {
    const { accessPolicy: found, cut } = fieldsOf({ policy }, { accessPolicy });
    expect([found, cut.length]).toEqual([expected, differences]);
  });
});

test("amounts are words", () => {
  expect([0, 999, 1500, 31_000_000, 5.5e12].map(bytesWords)).toEqual([
    "0 bytes",
    "999 bytes",
    "1.5 kB",
    "31 MB",
    "5.5 TB",
  ]);
  const seconds = [0, 6, 59.2, 61, 3600, 93_600];
  expect(seconds.map(durationWords)).toEqual(["0 s", "6 s", "60 s", "2 min", "1 h 0 min", "1 d 2 h"]);
  expect(seconds.map(durationWords)).toEqual(seconds.map(waitText));
  expect([hoursWords(0, 3), hoursWords(0, 0), hoursWords(2.345, 3), hoursWords(210.4, 3)]).toEqual([
    "less than 0.01",
    "0",
    "2.35",
    "210",
  ]);
  expect([0, 1234.5].map(usdWords)).toEqual(["$0.00", "$1,234.50"]);
});
