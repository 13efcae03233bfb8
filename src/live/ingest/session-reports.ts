/** A gateway's reports about its session, except media (protocol/live.ts). */
import type { Heartbeat, HeartbeatAnswer, Opening, Resume, Started } from "../../../protocol/live.ts";
import type { z } from "zod";
import type { Env } from "../../platform/env.ts";
import { log } from "../../platform/log.ts";
import { openOrigin, originOf } from "../origin/origin-calls.ts";
import { isDueForRenewal, type SessionGrant, signSessionGrant } from "../sessions/session-token.ts";
import { callStream } from "../streams/stream-calls.ts";
import { sessionOver } from "./session-auth.ts";

/** Opens the live origin of a session. Called when its media begins. @throws {Problem} session_over */
export async function startSession(env: Env, grant: SessionGrant, facts: Started): Promise<void> {
  const { streamId, sessionId, connection } = grant;
  const answer = await callStream(env, streamId, "started", { sessionId, connection, ...facts });
  if (answer.isOver) throw sessionOver();
  const { settings, maxDurationS } = answer;
  await openOrigin(env, sessionId, { ...settings, maxDurationS }, facts, connection);
}

/** Where the media of a session continues. @throws {Problem} session_over */
export async function resumeSession(env: Env, grant: SessionGrant, opening: Opening): Promise<Resume> {
  const { streamId, sessionId, connection } = grant;
  const { isCurrent } = await callStream(env, streamId, "check", { sessionId, connection });
  if (!isCurrent) throw sessionOver();
  const resume: Resume = await originOf(env, sessionId).resume(opening, connection);
  log("live.resumed", { streamId, sessionId, nextMsn: resume.nextMsn, discontinuity: resume.discontinuity });
  return resume;
}

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

/** Records that the broadcaster has left. */
export async function endConnection(env: Env, grant: SessionGrant, reason: string): Promise<void> {
  const { streamId, sessionId, connection } = grant;
  log("live.broadcaster_left", { streamId, sessionId, reason });
  await callStream(env, streamId, "ended", { sessionId, connection });
}
