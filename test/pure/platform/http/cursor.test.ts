import { z } from "@hono/zod-openapi";
import { describe, expect, test } from "vitest";
import { CursorTime, cutPage, readCursor, writeCursor } from "../../../../src/platform/http/cursor.ts";
import { Instant } from "../../../../src/platform/http/instant.ts";
import { Problem } from "../../../../src/platform/http/problems.ts";

const Key = z.tuple([CursorTime, z.string()]);

describe("a cursor", () => {
  test.each([
    [0, ""],
    [1_790_000_000_123, "3f0c"],
    [8_640_000_000_000_000, "ß ≥ 🎬 ???>>>~~~"],
  ] as const)("round-trips its key [%i, %j] through a URL", (ms, text) => {
    const cursor = writeCursor([ms, text]);
    expect(cursor).toMatch(/^[A-Za-z0-9_-]+$/);
    expect(readCursor(cursor, Key)).toEqual([ms, text]);
  });

  test("that is absent means the first page", () => {
    expect(readCursor(undefined, Key)).toBeNull();
  });

  test.each([
    "",
    "%",
    "é",
    "bm90IGpzb24",
    "_w",
    writeCursor([]),
    writeCursor([1]),
    writeCursor(["1", "x"]),
    writeCursor([1, "x", "more"]),
    writeCursor([-1, "x"]),
    writeCursor([8_640_000_000_000_001, "x"]),
  ])("%j is refused with its field's name", (cursor) => {
    const read = () => readCursor(cursor, Key);
    expect(read).toThrow(Problem);
    expect(read).toThrow(
      expect.objectContaining({
        code: "validation_failed",
        fields: [{ field: "cursor", message: "is invalid", hint: "must be the `nextCursor` of the page before" }],
      }),
    );
  });
});

describe("a page", () => {
  const keyOf = (n: number) => [n];

  test("with no extra row is the last", () => {
    expect(cutPage([3, 2], 2, keyOf)).toEqual({ rows: [3, 2], pagination: { limit: 2, nextCursor: null } });
    expect(cutPage([], 2, keyOf)).toEqual({ rows: [], pagination: { limit: 2, nextCursor: null } });
  });

  test("with an extra row has a cursor to its own last row", () => {
    const { rows, pagination } = cutPage([3, 2, 1], 2, keyOf);
    expect(rows).toEqual([3, 2]);
    expect(readCursor(pagination.nextCursor ?? "", z.tuple([z.int()]))).toEqual([2]);
  });
});

describe("a time in a request", () => {
  test.each([
    ["2026-05-20T12:50:15Z", "2026-05-20T12:50:15.000Z"],
    ["2026-05-20T12:50:15.662960123Z", "2026-05-20T12:50:15.662Z"],
    ["2026-05-20T12:50:15.5+05:30", "2026-05-20T07:20:15.500Z"],
    ["2024-02-29T23:59:59-00:30", "2024-03-01T00:29:59.000Z"],
  ])("%s is %s", (text, iso) => {
    expect(Instant.parse(text).toISOString()).toBe(iso);
  });

  test.each([
    "",
    "2026-05-20",
    "2026-05-20T12:50Z",
    "2026-05-20T12:50:15",
    "2026-05-20 12:50:15Z",
    "2026-02-29T00:00:00Z",
    "2026-05-20T24:00:00Z",
    "2026-05-20T12:50:15+0530",
    "1790000000",
    1_790_000_000,
    null,
  ])("%j is refused", (text) => {
    expect(Instant.safeParse(text).success).toBe(false);
  });
});
