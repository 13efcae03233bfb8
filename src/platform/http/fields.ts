/** Request fields used by several domains. */
import { z } from "@hono/zod-openapi";
import { hinted } from "./hints/issue-hints.ts";

/** Text of a certain form. @param words complete "must be …" in hints */
export const pattern = (form: RegExp, words: string) => z.string().regex(form, words);

/** C0 controls and DEL. */
// oxlint-disable-next-line no-control-regex -- they are what it looks for
const CONTROL = /[\u0000-\u001f\u007f]/;
// oxlint-disable-next-line no-control-regex -- the same without tab, line feed and carriage return
const CONTROL_IN_LINES = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/;

/** Half of a surrogate pair is no character: storage replaces it, and strict parsers of JSON refuse it. */
const isUnicode = (text: string) => text.isWellFormed();
const NOT_UNICODE = hinted("is invalid", "must be valid Unicode: it contains half of a surrogate pair");

/** Text of one line, such as a title. @param max UTF-16 code units */
export const line = (max: number) =>
  z
    .string()
    .max(max)
    .refine(isUnicode, NOT_UNICODE)
    .refine((text) => !CONTROL.test(text), hinted("is invalid", "must not contain control characters"));

/** Text that may have several lines, such as a description. @param max UTF-16 code units */
export const lines = (max: number) =>
  z
    .string()
    .max(max)
    .refine(isUnicode, NOT_UNICODE)
    .refine(
      (text) => !CONTROL_IN_LINES.test(text),
      hinted("is invalid", "must not contain control characters except tabs and line breaks"),
    );

export const Metadata = z
  .record(z.string().min(1).max(255), lines(255))
  .refine((pairs) => Object.keys(pairs).length <= 10, hinted("is invalid", "must have at most 10 pairs"))
  .refine(
    (pairs) => Object.keys(pairs).every((key) => !CONTROL.test(key)),
    hinted("is invalid", "must have names without control characters"),
  )
  .refine(
    (pairs) => Object.keys(pairs).every(isUnicode),
    hinted("is invalid", "must have names of valid Unicode: one contains half of a surrogate pair"),
  )
  .openapi({ description: "Up to 10 pairs of your own; values up to 255 characters", example: { campaign: "spring" } });
