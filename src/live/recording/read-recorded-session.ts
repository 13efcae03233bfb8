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
  // The RPC types of the platform do not preserve the type of the returned copy.
  const session = (await originOf(env, sessionId).recorded(range)) as unknown as RecordedSession | null;
  return session ?? (await finishedRecording(env, sessionId, range));
}

/** Reads the recording's rows, because the live index is deleted some time after they are written. */
async function finishedRecording(env: Env, sessionId: string, range: SegmentRange): Promise<RecordedSession | null> {
  const origin = originOf(env, sessionId);
  const answer = await runRecordedRead(async () => {
    return (await origin.recordedWindow(sessionId, range)) as unknown as RecordedSession | null | "busy";
  });
  return unlessBusy(answer);
}
