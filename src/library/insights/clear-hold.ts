import type { Env } from "../../platform/env.ts";
import { orNotFound } from "../../platform/http/problems.ts";
import { log } from "../../platform/log.ts";
import { liftHoldsIf } from "../../tenancy/access/index.ts";
import { changeRecord } from "../assets/change-record.ts";
import type { AssetRecord } from "../assets/repository.ts";

/**
 * Lets a media play again that moderation holds, and its clips, with `video.media.updated`. Without effect on one that is not held.
 *
 * @throws {Problem} media_not_found
 */
export async function clearHold(
  env: Env,
  key: { workspaceId: string; assetId: string },
  now: Date,
): Promise<{ playbackIds: string[]; wake: () => Promise<unknown> }> {
  let known: AssetRecord | null = null;
  const changed = await changeRecord(env, key, now, (seen, db, still) => {
    known = seen;
    return seen.isHeld ? { statements: [liftHoldsIf(db, key.assetId, still)], isHeld: false } : null;
  });
  const { playbackIds } = orNotFound<AssetRecord>(known, "media_not_found");
  if (changed === null) return { playbackIds: [], wake: async () => undefined };
  log("media.hold_cleared", key);
  return { playbackIds: playbackIds.map(({ id }) => id), wake: () => changed.committed.wake() };
}
