import type { IngestSettings, Started } from "../../../protocol/live.ts";
import { MAX_DVR_SEGMENTS } from "./origin-history.ts";
import type { Env } from "../../platform/env.ts";
import { remoteObject } from "../../platform/machine/remote.ts";
import type { LiveOriginCalls } from "./origin-rpc.ts";
import { WINDOW_SECONDS } from "../streams/after-end.ts";

/** Whether `maxDuration` ends a broadcast before its DVR window is full. @param maxDurationS 0 = no limit */
const fitsDvrWindow = (maxDurationS: number, segmentMs: number): boolean =>
  maxDurationS > 0 && (maxDurationS * 1000) / segmentMs <= MAX_DVR_SEGMENTS;

/** Returns a stub; sends nothing. */
export const originOf = (env: Env, sessionId: string) => remoteObject<LiveOriginCalls>(env.LIVE_ORIGIN, sessionId);

/** Opens the session's origin. A reconnect does not change the values that players rely on. */
export async function openOrigin(
  env: Env,
  sessionId: string,
  { latencyMode, partTargetMs, segmentMs, maxDurationS }: Omit<IngestSettings, "reconnect"> & { maxDurationS: number },
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
    isBounded: fitsDvrWindow(maxDurationS, segmentMs),
    renditions: started.renditions,
    started,
  };
  await originOf(env, sessionId).open(session, connection);
}
