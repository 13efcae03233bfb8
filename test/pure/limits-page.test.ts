import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { TRIED_IN } from "../support/limits/ids.ts";
import { numberOf, readLimits } from "../support/limits/page.ts";
import { type Trial, tryLimits } from "../support/limits/trials.ts";
import { CAPTIONS_TRIALS } from "./limits/captions-trials.ts";
import { ENCODER_TRIALS } from "./limits/encoder-trials.ts";
import { IMAGE_TRIALS } from "./limits/image-trials.ts";
import { KEY_TRIALS } from "./limits/key-trials.ts";
import { LIVE_TRIALS } from "./limits/live-trials.ts";
import { MCP_TRIALS } from "./limits/mcp-trials.ts";
import { SOURCE_TRIALS } from "./limits/source-trials.ts";
import { WEBHOOK_TRIALS } from "./limits/webhook-trials.ts";

const limits = readLimits(readFileSync("docs/architecture/limits.md", "utf8"));

test("every row of the page has a trial in one project, and every trial has a row", () => {
  const tried = Object.values(TRIED_IN).flat();
  expect(tried.toSorted()).toEqual(limits.map(({ id }) => id).toSorted());
  expect(new Set(tried).size).toBe(tried.length);
});

test("every file that enforces a limit exists", () => {
  const files = limits.flatMap(({ enforcedIn }) => enforcedIn);
  expect(files.filter((path) => !existsSync(path))).toEqual([]);
});

test("bounds are parsed with their units", () => {
  expect(["64 KiB", "1,200 segments", "999,999.999 s", "16 KiB/s", "30 d"].map(numberOf)).toEqual([
    65_536, 1200, 999_999_999, 16_384, 2_592_000_000,
  ]);
  for (const text of ["64", "many KiB", "64KiB", "-1 s"]) expect(() => numberOf(text)).toThrow("no number");
});

const TRIALS: Record<(typeof TRIED_IN.pure)[number], Trial> = {
  ...CAPTIONS_TRIALS,
  ...ENCODER_TRIALS,
  ...IMAGE_TRIALS,
  ...KEY_TRIALS,
  ...LIVE_TRIALS,
  ...MCP_TRIALS,
  ...SOURCE_TRIALS,
  ...WEBHOOK_TRIALS,
};
tryLimits(limits, TRIALS);
