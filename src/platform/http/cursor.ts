/**
 * Cursor pagination of lists that grow while they are read, newest first. A cursor holds the sort key of the last row of a page, so no row
 * is repeated or skipped when rows are added meanwhile.
 */
import { z } from "@hono/zod-openapi";
import { fromBase64Url, toBase64Url } from "../../../protocol/base64.ts";
import { Problem } from "./problems.ts";

export const CursorQuery = z.object({
  limit: z.coerce.number().int().min(1).max(100).default(25).openapi({ description: "Records on a page" }),
  cursor: z
    .string()
    .optional()
    .openapi({ description: "`nextCursor` of the page before, with the same filters; absent = the newest" }),
});

export const CursorPagination = z
  .object({
    limit: z.int(),
    nextCursor: z.string().nullable().openapi({ description: "null = this was the last page" }),
  })
  .openapi("CursorPagination");

export type SortKey = readonly (string | number)[];

/** A time in a sort key, epoch ms, within the range of `Date`. */
export const CursorTime = z.int().min(0).max(8_640_000_000_000_000);

/** Base64url of the key as JSON. Opaque to callers: the format may change with any release. */
export function writeCursor(key: SortKey): string {
  return toBase64Url(new TextEncoder().encode(JSON.stringify(key)));
}

/**
 * @param shape of the key: `z.tuple([CursorTime, z.string()])`
 * @returns null for the first page
 * @throws {Problem} validation_failed for a cursor that does not belong to this list
 */
export function readCursor<Key extends SortKey>(cursor: string | undefined, shape: z.ZodType<Key>): Key | null {
  if (cursor === undefined) return null;
  const key = shape.safeParse(decode(cursor));
  if (key.success) return key.data;
  throw new Problem("validation_failed", "validation failed", {
    fields: [{ field: "cursor", message: "is invalid", hint: "must be the `nextCursor` of the page before" }],
  });
}

/** @param rows up to one more than the limit; the extra row only shows that there is a next page */
export function cutPage<Row>(
  rows: readonly Row[],
  limit: number,
  keyOf: (row: Row) => SortKey,
): { rows: Row[]; pagination: z.infer<typeof CursorPagination> } {
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  const nextCursor = rows.length > limit && last !== undefined ? writeCursor(keyOf(last)) : null;
  return { rows: page, pagination: { limit, nextCursor } };
}

function decode(cursor: string): unknown {
  const bytes = fromBase64Url(cursor);
  if (bytes === null) return undefined;
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes));
  } catch {
    return undefined;
  }
}
