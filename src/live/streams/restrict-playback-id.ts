import type { Committed } from "../../events/webhooks/index.ts";
import type { Env } from "../../platform/env.ts";
import {
  type AccessRestrictions,
  OPEN_RESTRICTIONS,
  restrictPlaybackIdIf,
  stored,
} from "../../tenancy/access/index.ts";
import { changeStream } from "./change-stream.ts";
import { streamEvent } from "./stream-event.ts";

/**
 * Replaces the rules of a stream's playback ID for domains or user agents, with `video.live_stream.updated`. Null when there is no such playback
 * ID.
 *
 * @returns the restrictions before and after
 */
export async function restrictPlaybackId(
  env: Env,
  key: { workspaceId: string; streamId: string },
  playbackId: string,
  change: Partial<AccessRestrictions>,
  now: Date,
): Promise<{ before: AccessRestrictions; restrictions: AccessRestrictions; committed: Committed } | null> {
  const changed = await changeStream(env, key, (seen, db, still) => {
    const found = seen.playbackIds.find(({ id }) => id === playbackId);
    if (found === undefined) return null;
    const before = found.accessRestrictions ?? OPEN_RESTRICTIONS;
    const restrictions: AccessRestrictions = { ...before, ...change };
    const accessRestrictions = stored(restrictions);
    const playbackIds = seen.playbackIds.map((one) => (one === found ? { ...one, accessRestrictions } : one));
    return {
      before,
      restrictions,
      statements: [restrictPlaybackIdIf(db, playbackId, accessRestrictions, still)],
      event: streamEvent(
        "video.live_stream.updated",
        { ...seen, playbackIds },
        { id: crypto.randomUUID(), atMs: now.getTime() },
      ),
    };
  });
  if (changed === null) return null;
  const { before, restrictions } = changed.plan;
  return { before, restrictions, committed: changed.committed };
}
