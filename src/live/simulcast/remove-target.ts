import type { Committed } from "../../events/webhooks/index.ts";
import type { Env } from "../../platform/env.ts";
import { changeStream } from "../streams/change-stream.ts";
import { targetEvent } from "../streams/stream-event.ts";
import { deleteTargetIf } from "../streams/targets.ts";

/** Removes a simulcast target. Null when the target does not exist. */
export async function removeTarget(
  env: Env,
  key: { workspaceId: string; streamId: string },
  simulcastId: string,
  now: Date,
): Promise<Committed | null> {
  const changed = await changeStream(env, key, ({ targets }, db, still) => {
    const found = targets.find(({ id }) => id === simulcastId);
    if (found === undefined) return null;
    return {
      statements: [deleteTargetIf(db, simulcastId, still)],
      event: targetEvent("video.live_stream.simulcast_target.deleted", found, now.getTime()),
    };
  });
  return changed?.committed ?? null;
}
