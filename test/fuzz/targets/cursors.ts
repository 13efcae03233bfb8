import { z } from "@hono/zod-openapi";
import * as fc from "fast-check";
import { CursorTime, readCursor, writeCursor } from "../../../src/platform/http/cursor.ts";
import { Problem } from "../../../src/platform/http/problems.ts";
import type { FuzzTarget } from "../target.ts";

const Key = z.tuple([CursorTime, z.string()]);
const base64url = (json: string) => Buffer.from(json).toString("base64url");

/** A cursor matches its key's schema, or is refused as a field of the query. */
export default {
  name: "cursors",
  arbitrary: fc.oneof(
    fc.string({ maxLength: 4096 }),
    fc.json({ maxDepth: 8 }).map(base64url),
    fc.tuple(fc.oneof(fc.integer(), fc.double()), fc.string()).map((key) => base64url(JSON.stringify(key))),
    fc.integer({ min: 1, max: 20_000 }).map((depth) => base64url("[".repeat(depth))),
  ),
  run(text) {
    try {
      const key = readCursor(text, Key);
      if (key !== null && readCursor(writeCursor(key), Key)?.[0] !== key[0])
        throw new Error("a cursor changed its key");
    } catch (error) {
      if (!(error instanceof Problem && error.code === "validation_failed")) throw error;
    }
  },
} satisfies FuzzTarget<string>;
