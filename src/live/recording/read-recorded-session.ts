import type { Env } from "../../platform/env.ts";
import { originOf } from "../origin/origin-calls.ts";
import type { RecordedSession, SegmentRange } from "../origin/recorded/recorded-session.ts";
import { runRecordedRead, unlessBusy } from "../origin/recorded/recorded-reads.ts";

/** A range of a session as on-demand media; null before the first whole segment. @throws {Problem} unavailable */
export async function readRecordedSession(
  env: Env,
  sessionId: string,
  range: SegmentRange,
): Promise<RecordedSession | null> {
  const session = await originOf(env, sessionId).recorded(range);
  return session ?? (await finishedRecording(env, sessionId, range));
}

/** Reads the recording's rows, because the live index is deleted some time after they are written. */
async function finishedRecording(env: Env, sessionId: string, range: SegmentRange): Promise<RecordedSession | null> {
  const origin = originOf(env, sessionId);
  return unlessBusy(await runRecordedRead(() => origin.recordedWindow(sessionId, range)));
}
