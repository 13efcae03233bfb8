import type { Env } from "../../platform/env.ts";
import { log } from "../../platform/log.ts";
import type { SessionGrant } from "../sessions/session-token.ts";
import { callStream } from "../streams/stream-calls.ts";

/** Records that the broadcaster has left. */
export async function endConnection(env: Env, grant: SessionGrant, reason: string): Promise<void> {
  const { streamId, sessionId, connection } = grant;
  log("live.broadcaster_left", { streamId, sessionId, reason });
  await callStream(env, streamId, "ended", { sessionId, connection });
}
