import { expect, test } from "vitest";
import { sizeText } from "../../../sdk/cli/terminal/units.ts";

test.each([
  [0, "0 bytes"],
  [1, "1 byte"],
  [10, "10 bytes"],
  [123.4, "124 bytes"],
  [999, "999 bytes"],
  [999.5, "1 KB"],
  [1000, "1 KB"],
  [1001, "2 KB"],
  [12_300_000, "12.3 MB"],
  [1_200_000_000, "1.2 GB"],
])("%d bytes are shown as %s", (bytes, text) => {
  expect(sizeText(bytes)).toBe(text);
});
