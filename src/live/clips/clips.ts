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

/** The media that a clip becomes: the same for all who ask for the same segments. */
export interface ClipMedia {
  mediaId: string;
  playbackId: string;
}

/** A clip whose segments are still there. */
export interface FoundClip extends ClipMedia {
  sessionId: string;
  range: FoundRange;
  /** Of the media. */
  access: "public" | "private";
}

/** The segments are gone: the recording was deleted, or there was none. Null when no media is known for the stretch. */
export interface GoneClip {
  gone: ClipMedia | null;
}

/**
 * Which segments a clip consists of, in the session on air or the last one. Once the segments are gone only the clip's own media can be
 * played, if it was made.
 *
 * @throws {Problem} not_ready while the session, or the clip's end, is still to come; validation_failed beyond what there is;
 *   unavailable
 */
export async function findClip(
  env: Env,
  { session, mediaPolicy }: LivePlayable,
  { startSeconds, endSeconds, access: wanted }: ClipRequest,
): Promise<FoundClip | GoneClip> {
  if (session === null) throw new Problem("not_ready", "the stream has not been on air");
  // Never wider than the owner's policy, whoever asks.
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

/** Media that the clips of one stream may become within an hour: each copies up to 20 minutes of every rendition. */
export const CLIPS_PER_HOUR = 60;
/** Of these, what viewers may have made: the rest is the owner's alone, whatever viewers ask for. */
export const VIEWER_CLIPS_PER_HOUR = 40;

/**
 * Makes the clip a media of its own, which copies its segments. However many requests name the same segments, there is one media and one
 * event; a deleted clip is not made again.
 *
 * @param by a viewer's clip is made only while the stream has had fewer than the viewers' share of this hour's clips
 * @returns `limit`: the stream has had its clips of this hour, and nothing was written
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
    if (await isKnown()) return "known"; // a parallel request was faster
    log("live.clip_limit", { streamId, sessionId, by });
    return "limit";
  }
  log("live.clip_created", { streamId, sessionId, mediaId, first: range.first, last: range.last });
  await Promise.all([wake(), sendClip(env, { mediaId, from: 0 })]);
  return "made";
}

/** Whether a session's segments are still there: on air, or as a recording that nobody has deleted. */
async function hasSegments(env: Env, { id, endedAtMs }: NonNullable<LivePlayable["session"]>): Promise<boolean> {
  if (endedAtMs === null) return true;
  const rows = await openDatabase(env.DB)
    .select({ id: assets.id })
    .from(assets)
    .where(and(eq(assets.id, id), isNull(assets.deletedAt)));
  return rows.length > 0;
}
