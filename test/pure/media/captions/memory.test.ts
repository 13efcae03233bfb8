import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";

/** A Worker has 128 MB, for the file, its text and the segments too. Node itself needs some megabytes of these. */
const HEAP_MB = 64;

const SCRIPT = "test/support/large-captions-child.ts";
const run = (...args: string[]) =>
  promisify(execFile)(process.execPath, [
    "--max-semi-space-size=2",
    `--max-old-space-size=${HEAP_MB}`,
    SCRIPT,
    ...args,
  ]);

test.each([
  ["TTML of 100,000 paragraphs", 100_000],
  ["TTML with 375,000 attributes in a paragraph", 1],
  ["TTML with 49,000 styles", 1],
  ["WebVTT of 100,000 cues", 100_000],
  ["WebVTT of 1,900,000 lines", 1],
  ["SRT of 100,000 cues", 100_000],
  ["SCC of 1,386,000 words", 99_000],
])("%s is read and cut in a heap of 64 MB", async (name, cues) => {
  const { stdout } = await run(name);
  expect(JSON.parse(stdout)).toMatchObject({ cues });
});
