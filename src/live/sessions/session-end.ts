import { failRecording } from "../../library/assets/index.ts";
import { purgeAfterBroadcast } from "./purge-after-broadcast.ts";
import type { Env } from "../../platform/env.ts";
import { log } from "../../platform/log.ts";
import { KEEP_INDEX_MS, KEEP_INDEX_OF_PURGED_MS } from "../streams/after-end.ts";
import { originOf } from "../origin/origin-calls.ts";
import type { SessionFacts } from "./session-facts.ts";
import { addBroadcastCaptions } from "../recording/add-broadcast-captions.ts";
import { MOST_SEGMENTS } from "../origin/recorded/recording-lists.ts";
import { readRecordedSession } from "../recording/read-recorded-session.ts";
import { writeRecording } from "../recording/write-recording.ts";

/**
 * Finishes a broadcast: ends its origin and writes its recording. Called by the machine's outbox after the session's row is written and
 * before the stream's event. Called again after an error, so every step is idempotent.
 *
 * @param eventId of the recording's event; the same on every call
 */
export async function onSessionEnd(env: Env, session: SessionFacts, eventId: string): Promise<void> {
  const { id: sessionId, streamId, mediaId, segments, endReason, endedAtMs } = session;
  const origin = originOf(env, sessionId);
  await origin.end();
  log("live.session_ended", { streamId, sessionId, segments, endReason });
  if (endedAtMs === null) return;
  const outcome = await recordSession(env, session, eventId);
  log("live.recording_ended", { streamId, sessionId, mediaId, outcome });
  if (outcome === "none" || outcome === "gone") await purgeAfterBroadcast(env, sessionId);
  // Last, because nothing reads the session's index once the recording is written.
  await origin.release(outcome === "ready" ? KEEP_INDEX_MS : KEEP_INDEX_OF_PURGED_MS);
}

/** `none`: the stream is not recorded. `gone`: the recording was deleted during the broadcast. `empty`: no whole segment arrived. */
async function recordSession(
  env: Env,
  { id: sessionId, streamId, mediaId, segments, endedAtMs }: SessionFacts,
  eventId: string,
): Promise<"none" | "empty" | "ready" | "gone"> {
  if (mediaId === null) return "none";
  const recorded = await readRecordedSession(env, sessionId, { first: 0, last: MOST_SEGMENTS - 1 });
  if (recorded === null) {
    await failRecording(env, { mediaId, eventId, atMs: endedAtMs ?? Date.now() });
    return "empty";
  }
  const listed = recorded.renditions[0]?.segments.bytes.length ?? 0;
  if (segments > MOST_SEGMENTS || listed < Math.min(segments, MOST_SEGMENTS) - 1)
    log("live.recording_cut", { streamId, sessionId, segments, listed });
  const range = { first: 0, last: listed - 1, startSeconds: 0, endSeconds: Infinity };
  await addBroadcastCaptions(env, { mediaId, sessionId }, recorded, range, new Date());
  return await writeRecording(env, mediaId, recorded, eventId);
}
