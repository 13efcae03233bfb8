import type { Heartbeat, HeartbeatAnswer, Opening, Resume, Started } from "../../../protocol/live.ts";
import type { Env } from "../../platform/env.ts";
import { openOrigin, originOf } from "../origin/origin-calls.ts";
import { isDueForRenewal, type SessionGrant, signSessionGrant } from "../sessions/session-token.ts";
import { streamMachine } from "../streams/stream-calls.ts";
import { sessionOver } from "./session-over.ts";
import { log } from "../../platform/log.ts";
import type { z } from "zod";

/** Opens the live origin of a session. Called when its media begins. @throws {Problem} session_over */
export async function startSession(env: Env, grant: SessionGrant, facts: Started): Promise<void> {
  const { streamId, sessionId, connection } = grant;
  const answer = await streamMachine(env, streamId).startBroadcast({ sessionId, connection }, facts);
  if (answer.isOver) throw sessionOver();
  const { settings, maxDurationS } = answer;
  await openOrigin(env, sessionId, { ...settings, maxDurationS }, facts, connection);
}

/** Where the media of a session continues. @throws {Problem} session_over */
export async function resumeSession(env: Env, grant: SessionGrant, opening: Opening): Promise<Resume> {
  const { streamId, sessionId, connection } = grant;
  const { isCurrent } = await streamMachine(env, streamId).checkConnection({ sessionId, connection });
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
  const answer = await streamMachine(env, streamId).keepOnAir({ sessionId, connection }, heartbeat);
  if (!answer.continue || !isDueForRenewal(grant, nowMs)) return answer;
  const token = await signSessionGrant(env.JOB_SECRET, { sessionId, streamId, connection }, nowMs);
  return { ...answer, token };
}

/** Records that the broadcaster has left. */
export async function endConnection(env: Env, grant: SessionGrant, reason: string): Promise<void> {
  const { streamId, sessionId, connection } = grant;
  log("live.broadcaster_left", { streamId, sessionId, reason });
  await streamMachine(env, streamId).endConnection({ sessionId, connection });
}
