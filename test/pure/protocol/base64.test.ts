import { expect, test } from "vitest";
import { fromBase64, fromBase64Url, toBase64, toBase64Url } from "../../../protocol/base64.ts";

/** Every byte value, so that both alphabets' own characters occur. */
const ALL_BYTES = Uint8Array.from({ length: 256 }, (_, value) => value);

test.each([0, 1, 2, 3, 256, 300_000])("%i bytes are written as Node writes them, and read back", (length) => {
  const bytes = Uint8Array.from({ length }, (_, at) => ALL_BYTES[at % 256]!);
  expect(toBase64(bytes)).toBe(Buffer.from(bytes).toString("base64"));
  expect(toBase64Url(bytes)).toBe(Buffer.from(bytes).toString("base64url"));
  expect(fromBase64(toBase64(bytes))).toEqual(bytes);
  expect(fromBase64Url(toBase64Url(bytes))).toEqual(bytes);
});

test.each(["?", "a", "ab=c", "ä", "YWJj!"])("%j is neither base64 nor base64url", (text) => {
  expect(fromBase64(text)).toBeNull();
  expect(fromBase64Url(text)).toBeNull();
});
