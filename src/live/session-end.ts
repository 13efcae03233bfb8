import { failRecording, purgeAfterBroadcast } from "../assets/index.ts";
import type { Env } from "../env.ts";
import { log } from "../http/log.ts";
import { originOf } from "./origin-calls.ts";
import type { SessionFacts } from "./projection.ts";
import { MOST_SEGMENTS } from "./recording-lists.ts";
import { recordedSession, writeRecording } from "./recording.ts";

/**
 * What becomes of a broadcast that is over for good. Called by the machine's outbox, after the session's row and before the stream's
 * own event; again when it throws, so everything in it may happen twice.
 *
 * @param eventId of the event that tells what became of the recording: the same each time
 */
export async function onSessionEnd(env: Env, session: SessionFacts, eventId: string): Promise<void> {
  const { id: sessionId, streamId, mediaId, segments, endReason, endedAtMs } = session;
  await originOf(env, sessionId).end();
  log("live.session_ended", { streamId, sessionId, segments, endReason });
  if (endedAtMs === null) return;
  if (mediaId === null) return await purgeAfterBroadcast(env, sessionId);
  if (segments > MOST_SEGMENTS) log("live.recording_cut", { streamId, sessionId, segments });
  const recorded = await recordedSession(env, sessionId, { first: 0, last: MOST_SEGMENTS - 1 });
  if (recorded === null) return await failRecording(env, { mediaId, eventId, atMs: endedAtMs });
  const outcome = await writeRecording(env, mediaId, recorded, eventId);
  log("live.recording_ended", { streamId, sessionId, mediaId, outcome });
  if (outcome === "gone") await purgeAfterBroadcast(env, sessionId); // deleted while it was on air
}
