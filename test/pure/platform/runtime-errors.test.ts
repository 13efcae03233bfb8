/** The texts are those of the workerd release in package.json; the tests of the worker project observe the errors themselves. */
import { expect, test } from "vitest";
import {
  isDecompressionError,
  isInternalError,
  isNoSuchUpload,
  isUnmigrated,
  withoutQuery,
} from "../../../src/platform/runtime-errors.ts";

const DECOMPRESSION = ["Decompression failed.", "Brotli decompression failed."].map((text) => new TypeError(text));
const INTERNAL = ["internal error", "internal error; reference = asv0lnabm9mht2l97b8uim0n"].map(
  (text) => new Error(text),
);
const NO_SUCH_UPLOAD = [
  "uploadPart: The specified multipart upload does not exist. (10024)",
  "completeMultipartUpload: The specified multipart upload does not exist. (10024)",
].map((text) => new Error(text));
const UNMIGRATED = [
  "D1_ERROR: no such table: credentials: SQLITE_ERROR",
  "D1_ERROR: no such column: assets.title at offset 7: SQLITE_ERROR",
  "D1_ERROR: table assets has no column named title at offset 20: SQLITE_ERROR",
].flatMap((text) => [new Error(text), new Error("Failed query: select 1", { cause: new Error(text) })]);
const OTHERS = [
  new Error("Failed query: select 1", { cause: new Error("D1_ERROR: database is locked: SQLITE_BUSY") }),
  new Error("Network connection lost."),
  new Error("The server reported an internal error"),
  new Error("put: We encountered an internal error. Please try again. (10001)"),
  new Error("copied 10024 bytes"),
  "internal error", // thrown, but not an Error
  { message: "Decompression failed. (10024)" },
  null,
  undefined,
];

test.each([
  ["isDecompressionError", isDecompressionError, DECOMPRESSION],
  ["isInternalError", isInternalError, INTERNAL],
  ["isNoSuchUpload", isNoSuchUpload, NO_SUCH_UPLOAD],
  ["isUnmigrated", isUnmigrated, UNMIGRATED],
])("%s recognises its own error and no other", (_, isIt, own) => {
  const all = [...DECOMPRESSION, ...INTERNAL, ...NO_SUCH_UPLOAD, ...UNMIGRATED, ...OTHERS];
  expect(all.filter(isIt)).toEqual(own);
});

test("logs get what D1 reported, and not the query and its parameters", () => {
  const reported = new Error("D1_ERROR: database is locked: SQLITE_BUSY");
  const params = 'Failed query: insert into "events" values (?) params: secret';
  expect(withoutQuery(new Error(params, { cause: reported }))).toBe(reported);
  for (const error of [reported, new Error(params), "Failed query: x", null]) expect(withoutQuery(error)).toBe(error);
});
