import type { LiveOrigin } from "../../durable-objects/live-origin.ts";
import type { IngestSettings, LiveRendition } from "../../encoder/live/protocol.ts";
import type { Env } from "../env.ts";

/** How far back players may go without DVR. */
const WINDOW_SECONDS = 60;

/** Synchronous: what it gives back is a stub, with which nothing is sent yet. */
export const originOf = (env: Env, sessionId: string) =>
  env.LIVE_ORIGIN.get(env.LIVE_ORIGIN.idFromName(sessionId)) as DurableObjectStub<LiveOrigin>;

/** A session has said what it consists of. After a reconnect this changes nothing: what players hold on to stays. */
export async function openOrigin(
  env: Env,
  sessionId: string,
  { latencyMode, partTargetMs, segmentMs }: Omit<IngestSettings, "reconnect">,
  renditions: LiveRendition[],
): Promise<void> {
  await originOf(env, sessionId).open({
    sessionId,
    timing: {
      targetDurationSeconds: Math.ceil(segmentMs / 1000),
      partTargetMs: latencyMode === "low" ? partTargetMs : null,
    },
    windowSeconds: WINDOW_SECONDS,
    renditions: renditions.map(({ name, timescale }) => ({ name, timescale })),
  });
}
