import type { Started } from "../../../protocol/live.ts";
import type { Env } from "../../platform/env.ts";
import { openOrigin } from "../origin/origin-calls.ts";
import type { SessionGrant } from "../sessions/session-token.ts";
import { callStream } from "../streams/stream-calls.ts";
import { sessionOver } from "./session-over.ts";

/** Opens the live origin of a session. Called when its media begins. @throws {Problem} session_over */
export async function startSession(env: Env, grant: SessionGrant, facts: Started): Promise<void> {
  const { streamId, sessionId, connection } = grant;
  const answer = await callStream(env, streamId, "started", { sessionId, connection, ...facts });
  if (answer.isOver) throw sessionOver();
  const { settings, maxDurationS } = answer;
  await openOrigin(env, sessionId, { ...settings, maxDurationS }, facts, connection);
}
