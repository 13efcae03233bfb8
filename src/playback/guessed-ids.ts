/** Bounds the ids that strangers try. Each look-up of an unknown one is a query of D1. */
import type { Env } from "../platform/env.ts";
import { Problem } from "../platform/http/problems.ts";
import { UNKNOWN_IDS_PERIOD_SECONDS, unknownIds } from "../platform/network/unknown-ids.ts";

/**
 * Answers a request for a playback ID or a session, and counts the id if there is none.
 *
 * @throws {Problem} too_many_requests, and what `answer` throws
 */
export async function boundGuesses<Answer>(
  request: Request,
  env: Env,
  id: string,
  answer: () => Promise<Answer>,
): Promise<Answer> {
  const nowMs = refuseGuess(request, id);
  try {
    const answered = await answer();
    unknownIds.remember(id, nowMs);
    return answered;
  } catch (error) {
    if (error instanceof Problem && error.code === "playback_not_found")
      await unknownIds.count(env, request, id, nowMs);
    throw error;
  }
}

/** Looks an id up for a request, and counts it if it is unknown. @throws {Problem} too_many_requests */
export async function boundLookUp<Found>(
  request: Request,
  env: Env,
  id: string,
  lookUp: () => Promise<Found | null>,
): Promise<Found | null> {
  const nowMs = refuseGuess(request, id);
  const found = await lookUp();
  if (found === null) await unknownIds.count(env, request, id, nowMs);
  else unknownIds.remember(id, nowMs);
  return found;
}

/** @returns the time, epoch ms */
function refuseGuess(request: Request, id: string): number {
  const nowMs = Date.now();
  if (unknownIds.refuses(request, id, nowMs))
    throw new Problem("too_many_requests", "too many unknown ids", { retryAfterSeconds: UNKNOWN_IDS_PERIOD_SECONDS });
  return nowMs;
}
