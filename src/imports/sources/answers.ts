/** What sources do with answers in JSON. Pure. */
import type { z } from "@hono/zod-openapi";
import { SourceFailure } from "./source.ts";

/**
 * @param vendor as people write it
 * @throws {SourceFailure} source_unreadable, which names the first field that is not as documented, without its value
 */
export function readAnswer<T>(schema: z.ZodType<T>, body: unknown, vendor: string): T {
  const read = schema.safeParse(body);
  if (read.success) return read.data;
  const path = read.error.issues[0]?.path.map(String).join(".") ?? "";
  const place = path === "" ? "The answer" : `\`${path}\` in the answer`;
  throw new SourceFailure("source_unreadable", `${place} of ${vendor} is not as its documents have it.`);
}

/** For a status that the documents of the call do not have. */
export const unexpectedStatus = (status: number, vendor: string) =>
  new SourceFailure("source_unreadable", `${vendor} answered ${status}.`);
