import { finishRecording } from "../../library/assets/index.ts";
import { imageMaker } from "../../library/images/index.ts";
import { derivedId } from "../../platform/crypto/derived-id.ts";
import type { Env } from "../../platform/env.ts";
import type { RecordedSession } from "../origin/recorded/recorded-session.ts";
import { withInitBytes } from "./init-bytes.ts";
import { recordingRows } from "./recording-rows.ts";

/**
 * Marks a session's recording as ready. Its renditions are the live segments, which already have the right R2 keys.
 *
 * @param eventId the ids of the events derive from it; the same on every call
 * @returns `gone` when it was deleted meanwhile
 */
export async function writeRecording(
  env: Env,
  mediaId: string,
  session: RecordedSession,
  eventId: string,
): Promise<"ready" | "gone"> {
  const rows = await Promise.all(recordingRows(mediaId, session).map((row) => withInitBytes(env, row)));
  const events = [
    { id: eventId, type: "asset.ready" as const },
    { id: await derivedId(eventId, "recording"), type: "live_stream.recording.ready" as const },
  ];
  const outcome = await finishRecording(env, { mediaId, rows, events, hasUsual: true }, new Date());
  if (outcome === "ready") await imageMaker(env, mediaId).prepareSoon(mediaId);
  return outcome;
}
