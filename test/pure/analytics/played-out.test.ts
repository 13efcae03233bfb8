import { expect, test } from "vitest";
import { eventsUntil, playedOutAtMs } from "../../../src/analytics/views/played-out.ts";
import type { ViewEvent } from "../../../src/analytics/views/view-event.ts";

const MEDIA_MS = 10_000;

const eventsOf = (...pairs: [string, number][]): ViewEvent[] =>
  pairs.map(([name, atMs], index) => ({ sequence: index + 1, name, atMs, fields: {} }));

const seen = (events: readonly ViewEvent[]) => events.map(({ name, atMs }) => [name, atMs]);

test("a view whose player names no states is over once it has lasted as long as its media", () => {
  expect(playedOutAtMs(eventsOf(["pulse", 900], ["playing", 1000], ["variantChanged", 1500]), MEDIA_MS)).toBe(11_000);
});

test.each(["play", "viewBegin", "pause", "seeking", "waiting", "ended", "viewCompleted"])(
  "a player that reports %s tells when playback stops, so nothing bounds its view",
  (name) => {
    expect(playedOutAtMs(eventsOf(["playing", 1000], [name, 2000], ["pulse", 60_000]), MEDIA_MS)).toBeNull();
  },
);

test("a view whose player states its watch time has no bound", () => {
  const stated = eventsOf(["playing", 1000], ["pulse", 60_000]).map((event) => ({
    ...event,
    fields: { view_watch_time: event.atMs },
  }));
  expect(playedOutAtMs(stated, MEDIA_MS)).toBeNull();
});

test("a view of a broadcast has no bound, and neither has one that has not begun to play", () => {
  expect(playedOutAtMs(eventsOf(["playing", 1000], ["pulse", 60_000]), null)).toBeNull();
  expect(playedOutAtMs(eventsOf(["pulse", 1000], ["pulse", 60_000]), MEDIA_MS)).toBeNull();
});

test("later reports are moved to the end, and only the first of their pulses is kept", () => {
  const reported = eventsOf(
    ["playing", 1000],
    ["pulse", 9000],
    ["pulse", 12_000],
    ["pulse", 14_000],
    ["error", 15_000],
  );
  expect(seen(eventsUntil(reported, 11_000))).toEqual([
    ["playing", 1000],
    ["pulse", 9000],
    ["pulse", 11_000],
    ["error", 11_000],
  ]);
  expect(eventsUntil(reported, 15_000)).toBe(reported);
  expect(eventsUntil(reported, null)).toBe(reported);
});
