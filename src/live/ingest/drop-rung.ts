import type { PartAnswer } from "../../../protocol/live.ts";
import type { Env } from "../../platform/env.ts";
import { logWarning } from "../../platform/log.ts";
import { originOf } from "../origin/origin-calls.ts";
import type { SessionGrant } from "../sessions/session-token.ts";
import { unlessOver } from "./session-over.ts";

/** Records that a rung is no longer encoded. @throws {Problem} session_over */
export async function dropRung(
  env: Env,
  { streamId, sessionId, connection }: SessionGrant,
  { rendition, fromMsn }: { rendition: string; fromMsn: number },
): Promise<PartAnswer> {
  const answer: PartAnswer = unlessOver(await originOf(env, sessionId).drop(rendition, fromMsn, connection));
  if (answer.verdict === "taken") logWarning("live.rung_dropped", { streamId, sessionId, rendition, fromMsn });
  return answer;
}
