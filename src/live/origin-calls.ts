import type { LiveOrigin } from "../../durable-objects/live-origin.ts";
import type { IngestSettings, Started } from "../../encoder/live/protocol.ts";
import type { Env } from "../env.ts";

/** How far back players may go without DVR. */
const WINDOW_SECONDS = 60;

/** Synchronous: what it gives back is a stub, with which nothing is sent yet. */
export const originOf = (env: Env, sessionId: string) =>
  env.LIVE_ORIGIN.get(env.LIVE_ORIGIN.idFromName(sessionId)) as DurableObjectStub<LiveOrigin>;

/** A session has said what it consists of. What players hold on to stays after a reconnect, whatever is said then. */
export async function openOrigin(
  env: Env,
  sessionId: string,
  { latencyMode, partTargetMs, segmentMs }: Omit<IngestSettings, "reconnect">,
  started: Started,
  connection: number,
): Promise<void> {
  const session = {
    sessionId,
    timing: {
      targetDurationSeconds: Math.ceil(segmentMs / 1000),
      partTargetMs: latencyMode === "low" ? partTargetMs : null,
    },
    windowSeconds: WINDOW_SECONDS,
    renditions: started.renditions,
    started,
  };
  await originOf(env, sessionId).open(session, connection);
}
