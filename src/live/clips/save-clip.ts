import { eq, sql } from "drizzle-orm";
import { commitWithEvents } from "../../events/webhooks/index.ts";
import { assets, type NewRecording, openRecording, policyOf, recentClips } from "../../library/assets/index.ts";
import { derivedId } from "../../platform/crypto/derived-id.ts";
import { hasSpareRoom } from "../../platform/database-room.ts";
import { openDatabase } from "../../platform/database.ts";
import type { Env } from "../../platform/env.ts";
import { log } from "../../platform/log.ts";
import { TtlCache } from "../../platform/ttl-cache.ts";
import { inheritedRules } from "../streams/inherited-rules.ts";
import { liveStreams } from "../streams/tables.ts";
import type { FoundClip } from "./find-clip.ts";
import { sendClip } from "./send-clip.ts";

/** New clips per stream and hour. Each copies up to 20 minutes of every rendition. */
export const CLIPS_PER_HOUR = 60;
/** The viewers' share of `CLIPS_PER_HOUR`. The rest is reserved for the owner. */
export const VIEWER_CLIPS_PER_HOUR = 40;

/** How long an isolate takes no clip of viewers of a stream whose share is used up. */
const FULL_MS = 60_000;
/** The streams whose viewers have used up their share. */
const full = new TtlCache<true>(1024);

/**
 * Creates the clip's asset and enqueues the copy of its segments. Any number of requests for the same segments creates one asset and one
 * event. A deleted clip is not created again.
 *
 * @param by viewers are limited to their share of the hour's clips
 * @returns `limit`: the hourly limit is reached, or the database has no room for what viewers cause; nothing was written
 */
export async function saveClip(
  env: Env,
  streamId: string,
  { sessionId, range, access, mediaId, playbackId }: FoundClip,
  { publicUrl, by }: { publicUrl: string; by: "viewer" | "owner" },
): Promise<"made" | "known" | "limit"> {
  const nowMs = Date.now();
  if (by === "viewer" && (full.get(streamId, nowMs) === true || !(await hasSpareRoom(env.DB)))) return "limit";
  const db = openDatabase(env.DB);
  const clip = db.select({ mediaId: assets.id }).from(assets).where(eq(assets.id, mediaId));
  const [[stream], clips, [recent]] = await db.batch([
    db.select().from(liveStreams).where(eq(liveStreams.id, streamId)),
    clip,
    recentClips(db, streamId, nowMs),
  ]);
  if (stream === undefined || clips.length > 0) return "known";
  const clipsPerHour = by === "viewer" ? VIEWER_CLIPS_PER_HOUR : CLIPS_PER_HOUR;
  const refuse = () => {
    log("live.clip_limit", { streamId, sessionId, by });
    if (by === "viewer") full.set(streamId, true, nowMs + FULL_MS);
    return "limit" as const;
  };
  if (recent!.count >= clipsPerHour) return refuse();
  const recording: NewRecording = {
    mediaId,
    playbackId,
    eventId: await derivedId(mediaId, "created"),
    streamId,
    workspaceId: stream.workspaceId,
    publicUrl,
    maxResolution: stream.maxResolution,
    mediaPolicy: access,
    keySystems: stream.keySystems,
    atMs: nowMs,
    clipsPerHour,
    clip: {
      sourceAssetId: sessionId,
      startMs: Math.round(range.startSeconds * 1000),
      endMs: Math.round(range.endSeconds * 1000),
    },
  };
  const rules = await inheritedRules(db, streamId, policyOf(recording));
  const { statements, event } = openRecording(db, recording, rules);
  const { isNew, wake } = await commitWithEvents(env, statements, [{ event, onlyIf: sql`changes() > 0` }]);
  // Concurrent requests were faster: they have made this clip, or the last ones of the hour.
  if (!isNew[0]) return (await clip).length > 0 ? "known" : refuse();
  log("live.clip_created", { streamId, sessionId, mediaId, first: range.first, last: range.last });
  await Promise.all([wake(), sendClip(env, { mediaId, from: 0, isOfOwner: by === "owner" })]);
  return "made";
}
