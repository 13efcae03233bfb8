import { expect, test } from "vitest";
import type { BatchSettings } from "../../../src/imports/batches/batch-calls.ts";
import { estimateOf } from "../../../src/imports/report/estimate.ts";
import { NO_TOTALS } from "../../../src/imports/report/totals.ts";

const SETTINGS: BatchSettings = {
  accessPolicy: "asSource",
  maxResolution: "1080p",
  mediaQuality: "standard",
  mp4Support: "none",
  captions: true,
  metadata: null,
};
const TOTALS = { ...NO_TOTALS, videos: 1000 };
const PACE = { readsPerSecond: 10, writesPerSecond: 1, concurrency: 8 };

test("a source at which files are ordered takes two orders for each video: the second one takes the first back", () => {
  const secondsOf = (ordersFiles: boolean) =>
    estimateOf(TOTALS, SETTINGS, { encoders: 20, pace: PACE, ordersFiles }).sourceSeconds;
  expect(secondsOf(true)).toBe(2000);
  expect(secondsOf(false)).toBe(300); // three reads
});

test("a few short videos whose files are ordered take a preparation and an encode", () => {
  const totals = {
    ...NO_TOTALS,
    videos: 2,
    durationMs: 10_000,
    heights: { "1080": { videos: 2, durationMs: 10_000 } },
  };
  const secondsOf = (ordersFiles: boolean, found: typeof NO_TOTALS = totals) =>
    estimateOf(found, SETTINGS, { encoders: 20, pace: PACE, ordersFiles }).totalSeconds;
  expect([secondsOf(true), secondsOf(false), secondsOf(true, NO_TOTALS)]).toEqual([60, 1, 0]);
});
