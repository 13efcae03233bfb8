import { expect, test } from "vitest";
import { MAX_TIMELINE_EVENTS, shortTimeline } from "../../../src/analytics/views/short-timeline.ts";
import type { TimelineEvent } from "../../../src/analytics/views/view-event.ts";

/** Events of these names, one a second. */
const timelineOf = (...names: string[]): TimelineEvent[] =>
  names.map((e, index) => ({ e, pt: index * 1000, vt: index * 1000 }));
const repeated = (count: number, ...names: string[]): string[] => Array.from({ length: count }, () => names).flat();
const countOf = (timeline: readonly TimelineEvent[], name: string) => timeline.filter(({ e }) => e === name).length;

test("completed requests are left out, failed and cancelled ones stay", () => {
  const names = ["viewBegin", "requestCompleted", "playing", "requestFailed", "requestCompleted", "requestCanceled"];
  const shown = shortTimeline(timelineOf(...names, "viewCompleted"));
  expect(shown.map(({ e }) => e)).toEqual([
    "viewBegin",
    "playing",
    "requestFailed",
    "requestCanceled",
    "viewCompleted",
  ]);
});

test("a short view has all of its other events, in order", () => {
  const whole = timelineOf("viewBegin", "playing", ...repeated(MAX_TIMELINE_EVENTS - 3, "pulse"), "viewCompleted");
  expect(shortTimeline(whole)).toEqual(whole);
});

test("a view of twelve hours keeps everything but pulses, which stay at equal distances", () => {
  const names = ["viewBegin", "playing", ...repeated(40, ...repeated(100, "pulse"), "waiting", "playing"), "error"];
  const whole = timelineOf(...names);
  const shown = shortTimeline(whole);
  expect(shown).toHaveLength(MAX_TIMELINE_EVENTS);
  for (const name of ["viewBegin", "playing", "waiting", "error"])
    expect([name, countOf(shown, name)]).toEqual([name, countOf(whole, name)]);
  expect(shown.map(({ vt }) => vt)).toEqual(shown.map(({ vt }) => vt).toSorted((one, other) => one - other));
  const pulses = shown.filter(({ e }) => e === "pulse").map(({ vt }) => vt);
  const gapsMs = pulses.slice(1).map((vt, index) => vt - pulses[index]!);
  expect(Math.max(...gapsMs)).toBeLessThan(15_000); // of 4,000 pulses 416 stay, about each tenth
});

test("of a view with too many changes of state the variants are left out first, and its begin, errors and end never", () => {
  const changes = repeated(400, "waiting", "playing", "variantChanged");
  const shown = shortTimeline(timelineOf("viewBegin", ...changes, "error", "viewCompleted"));
  expect(shown).toHaveLength(MAX_TIMELINE_EVENTS);
  expect(["viewBegin", "error", "viewCompleted", "variantChanged"].map((name) => countOf(shown, name))).toEqual([
    1, 1, 1, 0,
  ]);
  expect(shown[1]).toEqual({ e: "waiting", pt: 1000, vt: 1000 });
});

test("a view of nothing but errors is short too", () => {
  expect(shortTimeline(timelineOf(...repeated(3000, "error")))).toHaveLength(MAX_TIMELINE_EVENTS);
});
