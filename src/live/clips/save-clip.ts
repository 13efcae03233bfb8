import { eq, sql } from "drizzle-orm";
import { commitWithEvents } from "../../events/webhooks/index.ts";
import { assets, type NewRecording, openRecording, policyOf } from "../../library/assets/index.ts";
import { derivedId } from "../../platform/crypto/derived-id.ts";
import { hasSpareRoom } from "../../platform/database-room.ts";
import { openDatabase } from "../../platform/database.ts";
import type { Env } from "../../platform/env.ts";
import { log } from "../../platform/log.ts";
import { inheritedRules } from "../streams/inherited-rules.ts";
import { liveStreams } from "../streams/tables.ts";
import type { FoundClip } from "./find-clip.ts";
import { sendClip } from "./send-clip.ts";

/** New clips per stream and hour. Each copies up to 20 minutes of every rendition. */
export const CLIPS_PER_HOUR = 60;
/** The viewers' share of `CLIPS_PER_HOUR`. The rest is reserved for the owner. */
export const VIEWER_CLIPS_PER_HOUR = 40;

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
  const db = openDatabase(env.DB);
  const [stream] = await db.select().from(liveStreams).where(eq(liveStreams.id, streamId));
  const isKnown = async () => (await db.$count(assets, eq(assets.id, mediaId))) > 0;
  if (stream === undefined || (await isKnown())) return "known";
  if (by === "viewer" && !(await hasSpareRoom(env.DB))) return "limit";
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
    atMs: Date.now(),
    clipsPerHour: by === "viewer" ? VIEWER_CLIPS_PER_HOUR : CLIPS_PER_HOUR,
    clip: {
      sourceAssetId: sessionId,
      startMs: Math.round(range.startSeconds * 1000),
      endMs: Math.round(range.endSeconds * 1000),
    },
  };
  const rules = await inheritedRules(db, streamId, policyOf(recording));
  const { statements, event } = openRecording(db, recording, rules);
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
