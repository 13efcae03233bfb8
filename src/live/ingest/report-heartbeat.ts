import type { Heartbeat, HeartbeatAnswer } from "../../../protocol/live.ts";
import type { z } from "zod";
import type { Env } from "../../platform/env.ts";
import { isDueForRenewal, type SessionGrant, signSessionGrant } from "../sessions/session-token.ts";
import { callStream } from "../streams/stream-calls.ts";

/** Keeps a session on air, and renews its token when that is about to expire. */
export async function reportHeartbeat(
  env: Env,
  grant: SessionGrant,
  heartbeat: z.infer<typeof Heartbeat>,
  nowMs: number,
): Promise<HeartbeatAnswer> {
  const { streamId, sessionId, connection } = grant;
  const answer = await callStream(env, streamId, "heartbeat", { sessionId, connection, ...heartbeat });
  if (!answer.continue || !isDueForRenewal(grant, nowMs)) return answer;
  const token = await signSessionGrant(env.JOB_SECRET, { sessionId, streamId, connection }, nowMs);
  return { ...answer, token };
}
