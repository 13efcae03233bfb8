import { and, eq, isNull, sql } from "drizzle-orm";
import { assets, openRecording } from "../../library/assets/index.ts";
import { openDatabase } from "../../platform/database.ts";
import type { Env } from "../../platform/env.ts";
import { derivedId } from "../../platform/crypto/derived-id.ts";
import { log } from "../../platform/log.ts";
import { Problem } from "../../platform/http/problems.ts";
import { commitWithEvents } from "../../events/webhooks/index.ts";
import { sendClip } from "./clips-copy.ts";
import { findKeptClip } from "./clips-kept.ts";
import type { FoundRange } from "../origin/recorded-session.ts";
import type { ClipRequest } from "./clips-request.ts";
import type { LivePlayable } from "../streams/playback.ts";
import { findSessionRange } from "../recording/recording.ts";
import { liveStreams } from "../streams/tables.ts";

/** The media of a clip. All requests for the same segments and access policy share it. */
export interface ClipMedia {
  mediaId: string;
  playbackId: string;
}

/** A clip whose segments still exist. */
export interface FoundClip extends ClipMedia {
  sessionId: string;
  range: FoundRange;
  /** Access policy of the media. */
  access: "public" | "private";
}

/** The segments no longer exist: the recording was deleted, or there was none. The media is null when no clip was saved for the range. */
export interface GoneClip {
  gone: ClipMedia | null;
}

/**
 * Finds the segments of a clip, in the session on air or the last one. Once the segments are deleted, only a saved clip media can be
 * played.
 *
 * @throws {Problem} not_ready before the session starts or reaches the clip's end; validation_failed when the clip starts after the
 *   session's end; unavailable
 */
export async function findClip(
  env: Env,
  { session, mediaPolicy }: LivePlayable,
  { startSeconds, endSeconds, access: wanted }: ClipRequest,
): Promise<FoundClip | GoneClip> {
  if (session === null) throw new Problem("not_ready", "the stream has not been on air");
  // Never wider than the owner's policy.
  const access = mediaPolicy === "private" ? mediaPolicy : (wanted ?? mediaPolicy);
  const range = await findSessionRange(env, session.id, startSeconds, endSeconds);
  if (range === null && session.endedAtMs !== null) {
    const mediaId = await findKeptClip(env, session.id, { startSeconds, endSeconds, access });
    if (mediaId === null)
      throw new Problem("playback_not_found", "the broadcast is gone, and no clip was made of this");
    return { gone: { mediaId, playbackId: await playbackIdOf(mediaId) } };
  }
  if (range?.kind === "early") throw new Problem("not_ready", "the broadcast has not come to the clip's end");
  if (range === null || range.kind === "beyond") {
    const fields = [{ field: "start", message: "lies beyond what has been broadcast" }];
    throw new Problem("validation_failed", "the clip is not valid", { fields });
  }
  const mediaId = await derivedId("clip", session.id, range.first, range.last, access === mediaPolicy ? "" : access);
  const media = { mediaId, playbackId: await playbackIdOf(mediaId) };
  if (!(await hasSegments(env, session))) return { gone: media };
  return { ...media, sessionId: session.id, range, access };
}

const playbackIdOf = (mediaId: string) => derivedId(mediaId, "playback");

/** New clips per stream and hour. Each copies up to 20 minutes of every rendition. */
export const CLIPS_PER_HOUR = 60;
/** The viewers' share of `CLIPS_PER_HOUR`. The rest is reserved for the owner. */
export const VIEWER_CLIPS_PER_HOUR = 40;

/**
 * Creates the clip's media and enqueues the copy of its segments. Any number of requests for the same segments creates one media and one
 * event. A deleted clip is not created again.
 *
 * @param by viewers are limited to their share of the hour's clips
 * @returns `limit`: the hourly limit is reached, and nothing was written
 */
export async function saveClip(
  env: Env,
  streamId: string,
  { sessionId, range, access, mediaId, playbackId }: FoundClip,
  { publicUrl, by }: { publicUrl: string; by: "viewer" | "owner" },
): Promise<"made" | "known" | "limit"> {
  const db = openDatabase(env.DB);
  const [stream] = await db.select().from(liveStreams).where(eq(liveStreams.id, streamId));
  const isKnown = async () => (await db.$count(assets, eq(assets.id, mediaId))) > 0;
  if (stream === undefined || (await isKnown())) return "known";
  const { statements, event } = openRecording(db, {
    mediaId,
    playbackId,
    eventId: await derivedId(mediaId, "created"),
    streamId,
    workspaceId: stream.workspaceId,
    publicUrl,
    maxResolution: stream.maxResolution,
    mediaPolicy: access,
    atMs: Date.now(),
    clipsPerHour: by === "viewer" ? VIEWER_CLIPS_PER_HOUR : CLIPS_PER_HOUR,
    clip: {
      sourceAssetId: sessionId,
      startMs: Math.round(range.startSeconds * 1000),
      endMs: Math.round(range.endSeconds * 1000),
    },
  });
  const { isNew, wake } = await commitWithEvents(env, statements, [{ event, onlyIf: sql`changes() > 0` }]);
  if (!isNew[0]) {
    if (await isKnown()) return "known"; // a concurrent request was faster
    log("live.clip_limit", { streamId, sessionId, by });
    return "limit";
  }
  log("live.clip_created", { streamId, sessionId, mediaId, first: range.first, last: range.last });
  await Promise.all([wake(), sendClip(env, { mediaId, from: 0 })]);
  return "made";
}

/** Whether a session's segments still exist: on air, or as a recording that is not deleted. */
async function hasSegments(env: Env, { id, endedAtMs }: NonNullable<LivePlayable["session"]>): Promise<boolean> {
  if (endedAtMs === null) return true;
  const rows = await openDatabase(env.DB)
    .select({ id: assets.id })
    .from(assets)
    .where(and(eq(assets.id, id), isNull(assets.deletedAt)));
  return rows.length > 0;
}
