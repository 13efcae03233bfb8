import type { Env } from "../../platform/env.ts";
import type { Committed } from "../../events/webhooks/index.ts";
import {
  type AccessRestrictions,
  OPEN_RESTRICTIONS,
  type Rules,
  restrictPlaybackIdIf,
} from "../../tenancy/access/index.ts";
import { changeRecord } from "../assets/change-record.ts";
import { stored } from "../assets/to-rules.ts";

/** Replaces a playback ID's rules for domains or user agents, with `video.media.updated`. Null when there is no such playback ID. */
export async function updateRestrictions(
  env: Env,
  key: { workspaceId: string; assetId: string },
  playbackId: string,
  change: Partial<AccessRestrictions>,
  now: Date,
): Promise<{ restrictions: AccessRestrictions; committed: Committed } | null> {
  const changed = await changeRecord(env, key, now, (seen, db, still) => {
    const found = seen.playbackIds.find(({ id }) => id === playbackId);
    if (found === undefined) return null;
    const restrictions: AccessRestrictions = { ...(found.accessRestrictions ?? OPEN_RESTRICTIONS), ...change };
    const accessRestrictions = stored(restrictions);
    return {
      restrictions,
      statements: [restrictPlaybackIdIf(db, playbackId, accessRestrictions, still)],
      playbackIds: seen.playbackIds.map((one) => (one === found ? { ...one, accessRestrictions } : one)),
    };
  });
  return changed && { restrictions: changed.change.restrictions, committed: changed.committed };
}

/** Whether a body has rules at all. */
export const hasRules = (body: Partial<Record<keyof Rules, unknown>>): boolean =>
  body.defaultPolicy !== undefined || body.allow !== undefined || body.deny !== undefined;
