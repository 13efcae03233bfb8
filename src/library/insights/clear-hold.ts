import type { Committed } from "../../events/webhooks/index.ts";
import type { Env } from "../../platform/env.ts";
import { orNotFound } from "../../platform/http/problems.ts";
import { log } from "../../platform/log.ts";
import { liftHoldsIf } from "../../tenancy/access/index.ts";
import { changeRecord } from "../assets/change-record.ts";

/**
 * Lets a media play again that moderation holds, and its clips, with `video.media.updated`. Without effect on one that is not held.
 *
 * @throws {Problem} media_not_found
 */
export async function clearHold(
  env: Env,
  key: { workspaceId: string; assetId: string },
  now: Date,
): Promise<{ playbackIds: string[]; committed: Committed }> {
  const changed = await changeRecord(env, key, now, (seen, db, still) =>
    seen.isHeld ? { statements: [liftHoldsIf(db, key.assetId, still)], isHeld: false } : null,
  );
  const { record, change, committed } = orNotFound(changed, "media_not_found");
  if (change !== null) log("media.hold_cleared", key);
  return { playbackIds: record.playbackIds.map(({ id }) => id), committed };
}
