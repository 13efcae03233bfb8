import type { Committed } from "../../events/webhooks/index.ts";
import type { Env } from "../../platform/env.ts";
import { changeStream } from "../streams/change-stream.ts";
import type { LiveStream, SimulcastTarget } from "../streams/repository.ts";
import { targetEvent } from "../streams/stream-event.ts";
import { changeTargetIf } from "../streams/targets.ts";

/** Enables, disables or relabels a target; `metadata` is replaced as a whole. Null when the target does not exist. */
export async function updateTarget(
  env: Env,
  key: { workspaceId: string; streamId: string },
  simulcastId: string,
  change: Partial<Pick<SimulcastTarget, "isEnabled" | "metadata">>,
  now: Date,
): Promise<{ target: SimulcastTarget; stream: LiveStream; committed: Committed } | null> {
  const changed = await changeStream(env, key, ({ stream, targets }, db, still) => {
    const found = targets.find(({ id }) => id === simulcastId);
    if (found === undefined) return null;
    const target = { ...found, ...change };
    return {
      statements: [changeTargetIf(db, target, still)],
      target,
      stream,
      event: targetEvent("video.live_stream.simulcast_target.updated", target, now.getTime()),
    };
  });
  if (changed === null) return null;
  const { target, stream } = changed.plan;
  return { target, stream, committed: changed.committed };
}
