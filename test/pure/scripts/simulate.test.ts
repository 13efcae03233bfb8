/** The views of `npm run data:simulate`. */
import { expect, test } from "vitest";
import { beaconsOf } from "../../../scripts/simulate/send.ts";
import { type SimulatedView, simulateView } from "../../../scripts/simulate/view.ts";
import { readBatch } from "../../../src/analytics/beacons/beacon-batch.ts";
import { fieldOfKey } from "../../../src/analytics/beacons/beacon-keys.ts";
import { edgeFactsOf } from "../../../src/analytics/beacons/read-edge-facts.ts";
import { mergeEvents } from "../../../src/analytics/views/merged-view.ts";
import { viewRecordOf } from "../../../src/analytics/views/view-record.ts";

const DAY_MS = 24 * 3600_000;
const WORKSPACE = "5b0c3f7e-8d42-4c61-9f0a-27d4e1b6a893";
const span = { nowMs: Date.UTC(2026, 4, 20), days: 3, views: 3000 };
const made = (seed: number): SimulatedView[] =>
  Array.from({ length: span.views }, (_, index) => simulateView(seed, index, span));
const views = made(7);

/** As the server records it. */
function recordOf({ events, userAgent, cf }: SimulatedView) {
  const { events: read, refused } = readBatch(JSON.stringify({ events }));
  expect(refused).toEqual({});
  const merged = mergeEvents(
    read.map(({ sequence, name, viewerAtMs, fields }) => ({ sequence, name, atMs: viewerAtMs!, fields })),
  );
  return viewRecordOf(merged, {
    workspaceId: WORKSPACE,
    viewId: read[0]!.viewId,
    edge: edgeFactsOf(new Headers({ "user-agent": userAgent }), cf as Partial<IncomingRequestCfProperties>),
    content: null,
    isFinal: true,
    insertedAtMs: 0,
    updatedAtMs: 0,
  });
}
const records = views.map(recordOf);
const shareOf = (count: number) => count / records.length;

test("the same seed makes the same views, and another seed others", () => {
  expect(made(7)).toEqual(views);
  expect(JSON.stringify(made(8))).not.toBe(JSON.stringify(views));
  expect(new Set(records.map(({ viewId }) => viewId)).size).toBe(span.views);
});

test("every field is one of beacons", () => {
  const keys = new Set(views.flatMap(({ events }) => events.flatMap((event) => Object.keys(event))));
  expect([...keys].filter((key) => fieldOfKey(key) === null)).toEqual([]);
});

test("events are numbered without gaps, in the order of their times, within the days that were asked for", () => {
  for (const { events } of views) {
    expect(events.map(({ vesqnu }) => vesqnu)).toEqual(events.map((_, index) => index + 1));
    const times = events.map(({ vitp }) => Number(vitp));
    expect(times).toEqual(times.toSorted((one, other) => one - other));
    expect(times.at(-1)).toBeLessThanOrEqual(span.nowMs);
    expect(times.at(-1)).toBeGreaterThan(span.nowMs - span.days * DAY_MS);
    expect(["viewCompleted", "error"]).toContain(events.at(-1)!["evna"]);
  }
});

test("the audience has many countries, devices and viewers who come back", () => {
  for (const [name, least] of [
    ["country", 10],
    ["browserName", 4],
    ["osName", 5],
    ["deviceType", 4],
    ["videoTitle", 7],
  ] as const)
    expect([name, new Set(records.map((record) => record[name])).size >= least]).toEqual([name, true]);
  const viewers = new Set(records.map(({ viewerId }) => viewerId)).size;
  expect([viewers > 500, viewers < 1100]).toEqual([true, true]);
});

test("a few views fail, some are left before they start, and bad networks start later and stall more", () => {
  const failed = shareOf(records.filter(({ viewHasError }) => viewHasError).length);
  const left = shareOf(records.filter(({ exitBeforeVideoStart }) => exitBeforeVideoStart).length);
  expect([failed > 0.005, failed < 0.04, left > 0.02, left < 0.06]).toEqual([true, true, true, true]);
  const averageOf = (type: string, read: (record: (typeof records)[number]) => number) => {
    const values = records.filter(({ connectionType }) => connectionType === type).map(read);
    return values.reduce((sum, value) => sum + value, 0) / values.length;
  };
  for (const read of [
    (record: (typeof records)[number]) => record.videoStartupTime ?? 0,
    (record: (typeof records)[number]) => record.bufferCount,
  ])
    expect(averageOf("cellular", read)).toBeGreaterThan(2 * averageOf("wired", read));
  for (const { viewPlayingTime, watchTime } of records) expect(viewPlayingTime).toBeLessThanOrEqual(watchTime);
});

test("beacons have every view once, at most 20 each, of one device and place", () => {
  const beacons = [...beaconsOf(views, WORKSPACE, span.nowMs)];
  const sent = beacons.flatMap(({ headers, body, views: count }) => {
    const read = readBatch(body);
    const ids = [...new Set(read.events.map(({ viewId }) => viewId))];
    expect([ids.length, read.sentAtMs, read.refused]).toEqual([count, span.nowMs, {}]);
    expect(ids.length).toBeLessThanOrEqual(20);
    expect(headers["mf-cf-blob"]).toMatch(/^[ -~]+$/);
    const { country } = JSON.parse(headers["mf-cf-blob"]!) as { country: string };
    return ids.map((id) => `${id} ${country} ${headers["user-agent"]}`);
  });
  const wanted = views.map(({ cf, userAgent }, index) => `${records[index]!.viewId} ${cf.country} ${userAgent}`);
  expect(sent.toSorted()).toEqual(wanted.toSorted());
  expect(beacons.length).toBeLessThan(span.views / 10);
});
