import { failRecording } from "../../library/assets/index.ts";
import { purgeAfterBroadcast } from "./purge-after-broadcast.ts";
import type { Env } from "../../platform/env.ts";
import { log } from "../../platform/log.ts";
import { KEEP_INDEX_MS, KEEP_INDEX_OF_PURGED_MS } from "../streams/after-end.ts";
import { originOf } from "../origin/origin-calls.ts";
import type { SessionFacts } from "./session-facts.ts";
import { MOST_SEGMENTS } from "../recording/recording-lists.ts";
import { recordedSession, writeRecording } from "../recording/recording.ts";

/**
 * What becomes of a broadcast that is over for good. Called by the machine's outbox, after the session's row and before the stream's
 * own event; again when it throws, so everything in it may happen twice.
 *
 * @param eventId of the event that tells what became of the recording: the same each time
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
  // Last of all: nothing of the session is asked for again once the recording stands.
  await origin.release(outcome === "ready" ? KEEP_INDEX_MS : KEEP_INDEX_OF_PURGED_MS);
}

/** `none`: the stream records nothing. `gone`: the media was deleted while it was on air. `empty`: nothing whole has come. */
async function recordSession(
  env: Env,
  { id: sessionId, streamId, mediaId, segments, endedAtMs }: SessionFacts,
  eventId: string,
): Promise<"none" | "empty" | "ready" | "gone"> {
  if (mediaId === null) return "none";
  const recorded = await recordedSession(env, sessionId, { first: 0, last: MOST_SEGMENTS - 1 });
  if (recorded === null) {
    await failRecording(env, { mediaId, eventId, atMs: endedAtMs ?? Date.now() });
    return "empty";
  }
  const listed = recorded.renditions[0]?.segments.bytes.length ?? 0;
  if (segments > MOST_SEGMENTS || listed < Math.min(segments, MOST_SEGMENTS) - 1)
    log("live.recording_cut", { streamId, sessionId, segments, listed });
  return await writeRecording(env, mediaId, recorded, eventId);
}
