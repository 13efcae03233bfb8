import { expect, test } from "vitest";
import { versionOf } from "../../../../src/ai/providers/answer-version.ts";

const asked = "gpt-4o-transcribe";

test.each([
  [{ model: "gpt-4o-transcribe-2025-03-20", system_fingerprint: "fp_1" }, "2020-10-01", "gpt-4o-transcribe-2025-03-20"],
  [{ model: asked, system_fingerprint: "fp_1" }, "2020-10-01", "fp_1"],
  [{ text: "hello" }, "2020-10-01", "2020-10-01"],
  [{ model: 7, system_fingerprint: "two words" }, null, null],
  [{ model: "x".repeat(101) }, "\u0000", null],
  ["a text", null, null],
  [null, null, null],
])("of %j with the header %j, the version is %j", (body, header, version) => {
  expect(versionOf(body, { asked, header })).toBe(version);
});
