// By file: the index leads to routes that lead back to playback.
import { finishRecording } from "../assets/finish-recording.ts";
import { renditionKey } from "../assets/keys.ts";
import type { NewRendition } from "../assets/projection.ts";
import type { Env } from "../env.ts";
import { derivedId } from "../http/derived-id.ts";
import { originOf } from "./origin-calls.ts";
import type { RecordedSession, SegmentRange } from "./recording-lists.ts";
import { type RecordedRow, recordingRows } from "./recording-rows.ts";

/** What can be played on demand of a session, or of a stretch of it; null before there was anything whole. */
export async function recordedSession(
  env: Env,
  sessionId: string,
  range: SegmentRange | null,
): Promise<RecordedSession | null> {
  // What comes over RPC is a copy, whose type the platform's types make unrecognisable.
  return (await originOf(env, sessionId).recorded(range)) as unknown as RecordedSession | null;
}

/**
 * The media of a session is ready: its renditions are the live segments, which lie where they belong already.
 *
 * @param eventId what the ids of the events follow from: the same each time
 * @returns `gone` when the media was deleted meanwhile
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
  return await finishRecording(env, { mediaId, rows, events }, new Date());
}

/** The size of the first init segment of a rendition whose media lies in R2. */
export async function withInitBytes(env: Env, row: RecordedRow): Promise<NewRendition> {
  const version = row.segments.spans?.[0]?.initVersion ?? 0;
  const init = await env.MEDIA.head(renditionKey(row.assetId, row.name, `init-${version}.mp4`));
  return { ...row, initBytes: init?.size ?? 0 };
}
