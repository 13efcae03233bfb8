import type { Env } from "../../platform/env.ts";
import { originOf } from "../origin/origin-calls.ts";
import type { RangeAnswer } from "../origin/recorded/recorded-session.ts";
import { runRecordedRead, unlessBusy } from "../origin/recorded/recorded-reads.ts";

/**
 * Finds the segments that cover a time range of a session, on air or recorded; null when there is neither a live index nor a recording.
 *
 * @throws {Problem} unavailable
 */
export async function findSessionRange(
  env: Env,
  sessionId: string,
  startSeconds: number,
  endSeconds: number,
): Promise<RangeAnswer | null> {
  const origin = originOf(env, sessionId);
  const found = await origin.findRange(startSeconds, endSeconds);
  if (found !== null) return found;
  return unlessBusy(
    await runRecordedRead(async () => await origin.findRecordedRange(sessionId, startSeconds, endSeconds)),
  );
}
