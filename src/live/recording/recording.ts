import { finishRecording, type NewRendition } from "../../library/assets/index.ts";
import { renditionKey } from "../../platform/storage/keys.ts";
import type { Env } from "../../platform/env.ts";
import { derivedId } from "../../platform/crypto/derived-id.ts";
import type { RangeAnswer, RecordedSession, SegmentRange } from "../origin/recorded-session.ts";
import { runRecordedRead, tooManyReads } from "./recorded-reads.ts";
import { originOf } from "../origin/origin-calls.ts";
import { type RecordedRow, recordingRows } from "./recording-rows.ts";

/** A range of a session as on-demand media; null before the first whole segment. @throws {Problem} unavailable */
export async function recordedSession(
  env: Env,
  sessionId: string,
  range: SegmentRange,
): Promise<RecordedSession | null> {
  // The RPC types of the platform do not preserve the type of the returned copy.
  const session = (await originOf(env, sessionId).recorded(range)) as unknown as RecordedSession | null;
  return session ?? (await finishedRecording(env, sessionId, range));
}

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
  const found = (await origin.findRange(startSeconds, endSeconds)) as unknown as RangeAnswer | null;
  if (found !== null) return found;
  return unlessBusy(
    await runRecordedRead(async () => await origin.findRecordedRange(sessionId, startSeconds, endSeconds)),
  );
}

/** Reads the recording's rows, because the live index is deleted some time after they are written. */
async function finishedRecording(env: Env, sessionId: string, range: SegmentRange): Promise<RecordedSession | null> {
  const origin = originOf(env, sessionId);
  const answer = await runRecordedRead(async () => {
    return (await origin.recordedWindow(sessionId, range)) as unknown as RecordedSession | null | "busy";
  });
  return unlessBusy(answer);
}

/** @throws {Problem} unavailable */
function unlessBusy<T>(answer: T | "busy"): T {
  if (answer === "busy") throw tooManyReads();
  return answer;
}

/**
 * Marks a session's media as ready. Its renditions are the live segments, which already have the right R2 keys.
 *
 * @param eventId the ids of the events derive from it; the same on every call
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

/** Adds the size of the rendition's first init segment, read from R2. */
export async function withInitBytes(env: Env, row: RecordedRow): Promise<NewRendition> {
  const version = row.segments.spans?.[0]?.initVersion ?? 0;
  const init = await env.MEDIA.head(renditionKey(row.assetId, row.name, `init-${version}.mp4`));
  return { ...row, initBytes: init?.size ?? 0 };
}
