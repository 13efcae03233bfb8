import type { Opening, Resume } from "../../../protocol/live.ts";
import type { Env } from "../../platform/env.ts";
import { log } from "../../platform/log.ts";
import { originOf } from "../origin/origin-calls.ts";
import type { SessionGrant } from "../sessions/session-token.ts";
import { callStream } from "../streams/stream-calls.ts";
import { sessionOver } from "./session-over.ts";

/** Where the media of a session continues. @throws {Problem} session_over */
export async function resumeSession(env: Env, grant: SessionGrant, opening: Opening): Promise<Resume> {
  const { streamId, sessionId, connection } = grant;
  const { isCurrent } = await callStream(env, streamId, "check", { sessionId, connection });
  if (!isCurrent) throw sessionOver();
  const resume: Resume = await originOf(env, sessionId).resume(opening, connection);
  log("live.resumed", { streamId, sessionId, nextMsn: resume.nextMsn, discontinuity: resume.discontinuity });
  return resume;
}
