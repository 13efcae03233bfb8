/** Which views an isolate has counted. */
import { expect, test } from "vitest";
import { RecentViews } from "../../../src/analytics/beacons/new-views.ts";

const MINUTE_MS = 60_000;

test("a view that reports every few minutes stays remembered, one that is silent for long is forgotten", () => {
  const views = new RecentViews();
  for (const view of ["running", "silent"]) views.add(view, 0);
  for (let ms = 0; ms <= 60 * MINUTE_MS; ms += 5 * MINUTE_MS) expect(views.has("running", ms)).toBe(true);
  expect(views.has("silent", 61 * MINUTE_MS)).toBe(false);
});

test("many other views do not push out one that goes on reporting, and memory is bounded", () => {
  const views = new RecentViews();
  views.add("running", 0);
  views.add("silent", 0);
  for (let n = 0; n < 300_000; n += 1) {
    views.add(`other ${n}`, n);
    if (n % 10_000 === 0) expect(views.has("running", n)).toBe(true);
  }
  expect(views.has("silent", 300_000)).toBe(false);
  expect(views.has("other 299999", 300_000)).toBe(true);
});
