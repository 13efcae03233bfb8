import { and, eq, isNull } from "drizzle-orm";
import { assets } from "../../library/assets/index.ts";
import { derivedId } from "../../platform/crypto/derived-id.ts";
import { openDatabase } from "../../platform/database.ts";
import type { Env } from "../../platform/env.ts";
import { Problem } from "../../platform/http/problems.ts";
import type { FoundRange } from "../origin/recorded/recorded-session.ts";
import { findSessionRange } from "../recording/find-session-range.ts";
import type { LivePlayable } from "../streams/playback.ts";
import type { ClipRequest } from "./clips-request.ts";
import { findKeptClip } from "./find-kept-clip.ts";

/** The asset of a clip. All requests for the same segments and access policy share it. */
export interface ClipMedia {
  mediaId: string;
  playbackId: string;
}

/** A clip whose segments still exist. */
export interface FoundClip extends ClipMedia {
  sessionId: string;
  range: FoundRange;
  /** Access policy of the asset. */
  access: "public" | "private";
}

/**
 * The segments no longer exist: the recording was deleted, or there was none. `gone` is the clip that was saved for the range; null when there is
 * none.
 */
export interface GoneClip {
  gone: ClipMedia | null;
}

/**
 * Finds the segments of a clip, in the session on air or the last one. Once the segments are deleted, only a saved clip can be
 * played.
 *
 * @throws {Problem} not_ready before the session starts or reaches the clip's end; validation_failed when the clip starts after the
 *   session's end; unavailable
 */
export async function findClip(
  env: Env,
  { session, mediaPolicy, hasDrm }: LivePlayable,
  { startSeconds, endSeconds, access: wanted }: ClipRequest,
  startField = "start",
): Promise<FoundClip | GoneClip> {
  if (session === null) throw new Problem("not_ready", "the stream has not been on air");
  // Never wider than the owner's policy.
  const access = mediaPolicy === "private" ? mediaPolicy : (wanted ?? mediaPolicy);
  const range = await findSessionRange(env, session.id, startSeconds, endSeconds);
  if (range === null && session.endedAtMs !== null) {
    const mediaId = await findKeptClip(env, session.id, { startSeconds, endSeconds, access: hasDrm ? "drm" : access });
    if (mediaId === null)
      throw new Problem("playback_not_found", "the broadcast is gone, and no clip was made of this");
    return { gone: { mediaId, playbackId: await playbackIdOf(mediaId) } };
  }
  if (range?.kind === "early") throw new Problem("not_ready", "the broadcast has not come to the clip's end");
  if (range === null || range.kind === "beyond") {
    const fields = [{ field: startField, message: "lies beyond what has been broadcast" }];
    throw new Problem("validation_failed", "the clip is not valid", { fields });
  }
  const mediaId = await derivedId("clip", session.id, range.first, range.last, access === mediaPolicy ? "" : access);
  const media = { mediaId, playbackId: await playbackIdOf(mediaId) };
  if (!(await hasSegments(env, session))) return { gone: media };
  return { ...media, sessionId: session.id, range, access };
}

const playbackIdOf = (mediaId: string) => derivedId(mediaId, "playback");

/** Whether a session's segments still exist: on air, or as a recording that is not deleted. */
async function hasSegments(env: Env, { id, endedAtMs }: NonNullable<LivePlayable["session"]>): Promise<boolean> {
  if (endedAtMs === null) return true;
  const rows = await openDatabase(env.DB)
    .select({ id: assets.id })
    .from(assets)
    .where(and(eq(assets.id, id), isNull(assets.deletedAt)));
  return rows.length > 0;
}
