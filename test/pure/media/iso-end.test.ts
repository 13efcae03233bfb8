import { expect, test } from "vitest";
import { isoEnd } from "../../../src/media/dash/xml.ts";

test.each([
  [235 * (1024 / 48_000), "PT5.014S"],
  [8, "PT8.001S"],
  [0.1 + 0.2, "PT0.301S"],
  [4.0005, "PT4.001S"],
  [1001 / 30_000, "PT0.034S"],
  [0, "PT0.001S"],
])("media of %f s is announced as %s: later than its end, by a millisecond at the most", (seconds, announced) => {
  expect(isoEnd(seconds)).toBe(announced);
});
