/** What a failure means for an item, for its batch and for the source. Pure. */
import { Problem } from "../../platform/http/problems.ts";
import { ITEM_ERRORS, SourceFailure } from "../sources/source.ts";
import type { ItemError } from "./item.ts";

/** Attempts to submit an item. */
const MAX_ATTEMPTS = 5;
/** Failures of the source in a row, over all items, after which it is asked whether it is well. */
const MANY_FAILURES = 5;
const FIRST_RETRY_MS = 5_000;

export type Verdict =
  /** It concerns every item, and this one stays as it was. */
  | { kind: "batch" }
  | { kind: "fail"; error: ItemError; suspectsSource: boolean }
  | { kind: "again"; error: ItemError; waitMs: number; suspectsSource: boolean };

interface Circumstances {
  /** Of the item, before this one. */
  attempts: number;
  /** Of the source in a row, this one included. */
  failuresInRow: number;
}

/** `suspectsSource`: an item must not fail because its source is down, or its credentials were limited. The source's own check says whether it is so. */
export function judge(error: unknown, { attempts, failuresInRow }: Circumstances): Verdict {
  if (error instanceof Problem) return ofProblem(error, attempts);
  if (!(error instanceof SourceFailure)) return again(INTERNAL, attempts, 0, false);
  const { code, message, retryAfterMs } = error;
  if (code === "credentials_invalid" || code === "source_rate_limited") return { kind: "batch" };
  if (retryAfterMs === null)
    return { kind: "fail", error: { code, message }, suspectsSource: code === "permission_missing" };
  return again({ code, message }, attempts, retryAfterMs, failuresInRow > MANY_FAILURES);
}

const INTERNAL: ItemError = { code: "internal", message: ITEM_ERRORS.internal };

/** What cannot be mended by waiting, and stands against every item: the owner must do something. */
export const FULL: ReadonlySet<string> = new Set(["media_limit_reached", "storage_limit_reached"]);

function ofProblem(problem: Problem, attempts: number): Verdict {
  if (FULL.has(problem.code)) return { kind: "batch" };
  if (problem.code === "unavailable" || problem.code === "internal") return again(INTERNAL, attempts, 0, false);
  const words =
    problem.code === "validation_failed"
      ? problem.fields.map(({ field, message }) => `${field} ${message}`).join("; ")
      : problem.message;
  const message = `${ITEM_ERRORS.not_accepted} ${words}`.trim();
  return { kind: "fail", error: { code: "not_accepted", message }, suspectsSource: false };
}

function again(error: ItemError, attempts: number, askedMs: number, isDoubtful: boolean): Verdict {
  const isLast = attempts + 1 >= MAX_ATTEMPTS;
  const suspectsSource = error !== INTERNAL && (isLast || isDoubtful);
  if (isLast) return { kind: "fail", error, suspectsSource };
  return { kind: "again", error, waitMs: Math.max(askedMs, FIRST_RETRY_MS * 2 ** attempts), suspectsSource };
}
