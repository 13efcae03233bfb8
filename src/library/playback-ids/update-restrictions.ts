import type { Env } from "../../platform/env.ts";
import type { Committed } from "../../events/webhooks/index.ts";
import {
  type AccessRestrictions,
  OPEN_RESTRICTIONS,
  restrictPlaybackIdIf,
  stored,
} from "../../tenancy/access/index.ts";
import { changeRecord } from "../assets/change-record.ts";

/**
 * Replaces a playback ID's rules for domains or user agents, with `video.media.updated`. Null when there is no such playback ID.
 *
 * @returns the restrictions before and after
 */
export async function updateRestrictions(
  env: Env,
  key: { workspaceId: string; assetId: string },
  playbackId: string,
  change: Partial<AccessRestrictions>,
  now: Date,
): Promise<{ before: AccessRestrictions; restrictions: AccessRestrictions; committed: Committed } | null> {
  const changed = await changeRecord(env, key, now, (seen, db, still) => {
    const found = seen.playbackIds.find(({ id }) => id === playbackId);
    if (found === undefined) return null;
    const before = found.accessRestrictions ?? OPEN_RESTRICTIONS;
    const restrictions: AccessRestrictions = { ...before, ...change };
    const accessRestrictions = stored(restrictions);
    return {
      before,
      restrictions,
      statements: [restrictPlaybackIdIf(db, playbackId, accessRestrictions, still)],
      playbackIds: seen.playbackIds.map((one) => (one === found ? { ...one, accessRestrictions } : one)),
    };
  });
  if (changed === null || changed.change === null) return null;
  const { before, restrictions } = changed.change;
  return { before, restrictions, committed: changed.committed };
}
