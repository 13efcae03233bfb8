import { expect, test } from "vitest";
import { boundedFields, crashText, errorFields } from "../../../protocol/error-fields.ts";

function failInside(): never {
  throw new TypeError("no rungs");
}
const thrownBy = (code: () => unknown): unknown => {
  try {
    return code();
  } catch (error) {
    return error;
  }
};

test("an error is logged with its text, its frames and its causes", () => {
  const error = new Error("the job failed", { cause: thrownBy(failInside) });
  const { error: text, stack } = errorFields(error);
  expect(text).toBe("Error: the job failed");
  expect(stack).toMatch(/^Error: the job failed\n\s+at [^]*\nCaused by: TypeError: no rungs\n\s+at failInside \(/);
  expect(stack).toMatch(/error-fields\.test\.ts:\d+:\d+/);
});

test("what is not an error has no stack", () => {
  expect(errorFields("gone")).toEqual({ error: "gone" });
  expect(errorFields(undefined)).toEqual({ error: "undefined" });
});

test("URLs are shortened to their origin in the text, the stack and the output of a crash; places in the source stay", () => {
  const urls =
    "GET https://u:p@cdn.test:8443/a/b.mp4?sig=secret, rtmp://live.test/app/streamkey and https://hooks.test?t=secret";
  const short = "GET https://cdn.test:8443/…, rtmp://live.test/… and https://hooks.test/…";
  const { error, stack } = errorFields(new Error(urls));
  expect(error).toBe(`Error: ${short.replace("8443/…,", "8443/…")}`);
  for (const text of [stack!, crashText(`1 ${urls}`)]) {
    expect(text).not.toMatch(/secret|streamkey|u:p|b\.mp4/);
    expect(text).toContain("rtmp://live.test/…");
  }
  expect(crashText("1 at file:///app/encoder/media/chunk.ts:20:5")).toBe(
    "1 at file:///app/encoder/media/chunk.ts:20:5",
  );
});

test("fields are bounded: a text keeps its beginning, and the output of a crash its end", () => {
  const error = new Error("x".repeat(50_000), { cause: thrownBy(failInside) });
  const { error: text, stack } = errorFields(error);
  expect(text).toHaveLength(1000);
  expect(stack!.length).toBeLessThanOrEqual(4096);
  expect(stack).toContain("at failInside");
  const given = boundedFields({ error: "e".repeat(9000), stack: "s".repeat(9000) });
  expect([given.error.length, given.stack!.length]).toEqual([1000, 4096]);
  const output = crashText(`${"x".repeat(9000)} the end`);
  expect(output).toHaveLength(4096);
  expect(output).toMatch(/ the end$/);
});
