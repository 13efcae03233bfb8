/** Documentation and thresholds of each alert metric. Its figures are tested in test/worker/analytics/alerts.test.ts. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { checkAlert } from "../../../src/analytics/alerts/check-alert.ts";
import { type AlertMetric, MEASURED } from "../../../src/analytics/alerts/measured.ts";

const GUIDE = "docs/guides/video-data.md";
const metrics = Object.keys(MEASURED) as AlertMetric[];

test("the guide's table has a row for each metric, with the text of the API document", () => {
  const [, table = ""] = /^\| `metric` .*\n\|[ -|]*\n((?:\|.*\n)+)/m.exec(readFileSync(GUIDE, "utf8")) ?? [];
  const rows = [...table.matchAll(/^\| `(\w+)` +\| (.+?) +\|$/gm)].map(([, metric, words]) => [metric, words]);
  expect(Object.fromEntries(rows), `the table of ${GUIDE}`).toEqual(
    Object.fromEntries(metrics.map((metric) => [metric, MEASURED[metric].words])),
  );
});

test.each(metrics)("%s: a threshold above 1 is refused for a share, and accepted for milliseconds", (metric) => {
  const check = () => checkAlert({ metric, thresholdValue: 1.5, filters: [] });
  if (MEASURED[metric].unit === "ms") expect(check).not.toThrow();
  else expect(check).toThrow(`a share from 0 to 1 for ${metric}`);
});

test.each(metrics)("%s: its text names milliseconds if that is its unit", (metric) => {
  expect(/\bmilliseconds\b/.test(MEASURED[metric].words)).toBe(MEASURED[metric].unit === "ms");
});
