import type { FieldProblem } from "../../platform/http/hints/field-problem.ts";
import { Problem } from "../../platform/http/problems.ts";

/** A time range that a viewer requests (media contract, Clips); seconds from the start of the session. */
export interface ClipRequest {
  startSeconds: number;
  endSeconds: number;
  /** Access policy of the clip's asset; null = that of the stream's recordings. */
  access: "public" | "private" | null;
}

/** Positions have six digits before the decimal point: eleven days. */
export const MAX_CLIP_POSITION_SECONDS = 999_999.999;
const SECONDS = /^(\d{1,6}(?:\.\d{1,3})?)s$/;

/**
 * Parses `start`, `end` and `clipAccess`. Null when both `start` and `end` are absent.
 *
 * @throws {Problem} validation_failed, with every invalid field
 */
export function readClipRequest(query: URLSearchParams): ClipRequest | null {
  if (!query.has("start") && !query.has("end")) return null;
  const fields: FieldProblem[] = [];
  const seconds = (field: string): number => {
    const text = query.get(field);
    const value = SECONDS.exec(text ?? "")?.[1];
    if (value === undefined)
      fields.push(
        text === null
          ? { field, message: "must not be null", hint: "is required" }
          : { field, message: "must be seconds, such as 10s" },
      );
    return Number(value);
  };
  const [startSeconds, endSeconds] = [seconds("start"), seconds("end")];
  if (fields.length === 0 && startSeconds >= endSeconds) fields.push({ field: "end", message: "must be after start" });
  const access = query.get("clipAccess");
  if (access !== null && access !== "public" && access !== "private")
    fields.push({ field: "clipAccess", message: "is invalid", hint: "must be one of `public`, `private`" });
  if (fields.length > 0) throw new Problem("validation_failed", "the clip is not valid", { fields });
  return { startSeconds, endSeconds, access: access === "public" || access === "private" ? access : null };
}
