import type { z } from "@hono/zod-openapi";
import { SourceFailure } from "./source.ts";

/**
 * A source's answer, as far as it is needed. Schemas are loose: a field that was added later does no harm.
 *
 * @param what the call and its vendor, for the message: "Mux's list of assets"
 * @throws {SourceFailure} source_unreadable, whose message names the first field that is missing or of another kind, and no value
 */
export function readAnswer<T>(schema: z.ZodType<T>, body: unknown, what: string): T {
  const read = schema.safeParse(body);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  const field = (issue?.path ?? []).join(".");
  const place = field === "" ? "its outermost level" : `"${field}"`;
  throw new SourceFailure("source_unreadable", `${what} is not as documented: ${place} is missing or of another kind.`);
}

/** Text, or null for everything else: for fields that a migration can do without. */
export function textOrNull(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}

/** A number above zero, or null: sources write -1 or 0 for what they do not know. */
export function positiveOrNull(value: unknown): number | null {
  return typeof value === "number" && Number.isFinite(value) && value > 0 ? value : null;
}

/** For a status that the documents of a call do not have. */
export const unexpectedStatus = (status: number, vendor: string): SourceFailure =>
  new SourceFailure("source_unreadable", `${vendor} answered ${status}.`);
/** Credentials are sent in a header, and vendors make them of such characters alone. */
export const HEADER_TEXT = /^[\x21-\x7e]+$/;
