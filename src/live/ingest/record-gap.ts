import type { PartAnswer } from "../../../protocol/live.ts";
import type { Env } from "../../platform/env.ts";
import { logWarning } from "../../platform/log.ts";
import { originOf } from "../origin/origin-calls.ts";
import type { SessionGrant } from "../sessions/session-token.ts";
import { unlessOver } from "./session-over.ts";

/** Records a lost segment. @throws {Problem} session_over */
export async function recordGap(
  env: Env,
  { streamId, sessionId, connection }: SessionGrant,
  { rendition, msn }: { rendition: string; msn: number },
): Promise<PartAnswer> {
  const answer: PartAnswer = unlessOver(await originOf(env, sessionId).gap(rendition, msn, connection));
  if (answer.verdict === "taken") logWarning("live.segment_lost", { streamId, sessionId, rendition, msn });
  return answer;
}
