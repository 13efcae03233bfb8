import { expect, onTestFinished, test } from "vitest";
import type { Fault } from "../../../../conformance/origin/faults.ts";
import { startOrigin } from "../../../../conformance/origin/origin.ts";
import { delaysMs, holdViewers, type ViewersReport } from "../../../support/live-viewers.ts";
import { startCdn } from "./cdn.ts";

/** Viewers of the conformance tests' origin, through an nginx that caches only by its headers. */
async function viewersOf(
  count: number,
  fault: Fault | null,
  parts: number,
): Promise<{ report: ViewersReport; origin: Map<string, number> }> {
  const origin = await startOrigin(fault, { partTargetMs: 500 });
  onTestFinished(origin.stop);
  const cdn = await startCdn(new URL("/", origin.url).href);
  onTestFinished(cdn.stop);
  const report = await holdViewers(count, { playlistUrl: `${cdn.url}/video.m3u8`, parts });
  return { report, origin: await cdn.logOf() };
}

test("500 waiting viewers cause at most two origin requests per part or playlist, and none of them gets a stale edge", async () => {
  const { report, origin } = await viewersOf(500, null, 8);
  expect([report.stale, report.refused]).toEqual([[], []]);
  expect(report.fresh).toBeGreaterThanOrEqual(500 * 7);
  expect([...origin].filter(([, requests]) => requests > 2)).toEqual([]);
  const hadByAll = [...report.parts.values()].filter((times) => times.length === 500);
  expect(hadByAll.length).toBeGreaterThanOrEqual(5);
  expect(delaysMs(report)[0]).toBe(0);
});

test("an origin whose answers are not cacheable gets every request: the stand-in obeys its headers", async () => {
  const { origin } = await viewersOf(10, "nothing may be kept", 3);
  expect(Math.max(...origin.values())).toBe(10);
});

test("an edge that is answered too early counts as stale", async () => {
  const { report } = await viewersOf(10, "answers too early", 3);
  expect(report.stale).toHaveLength(10);
});
