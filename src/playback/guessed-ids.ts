/** Bounds the ids that strangers try. Each look-up of an unknown one is a query of D1. */
import type { Env } from "../platform/env.ts";
import { unknownIds } from "../platform/network/unknown-ids.ts";

/**
 * Answers a request for a playback ID or a session, and counts the id if there is none. What else is refused of an id that exists does not count.
 *
 * @param isUnknown asked after the answer
 * @throws {Problem} too_many_requests, and what `answer` throws
 */
export async function boundGuesses<Answer>(
  request: Request,
  env: Env,
  id: string,
  answer: () => Promise<Answer>,
  isUnknown: () => boolean,
): Promise<Answer> {
  const nowMs = refuseGuess(request, id);
  try {
    return await answer();
  } finally {
    if (isUnknown()) await unknownIds.count(env, request, id, nowMs);
    else unknownIds.remember(id, nowMs);
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
  unknownIds.requireFew(request, id, nowMs);
  return nowMs;
}
