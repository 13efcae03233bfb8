import type { Env } from "../../platform/env.ts";
import { Problem } from "../../platform/http/problems.ts";
import { originOf } from "../origin/origin-calls.ts";
import type { SessionGrant } from "../sessions/session-token.ts";
import { unlessOver } from "./session-over.ts";

/** Writes an init segment to the live origin. @throws {Problem} session_over; not_found */
export async function storeInit(
  env: Env,
  { sessionId, connection }: SessionGrant,
  { rendition, version }: { rendition: string; version: number },
  bytes: Uint8Array,
): Promise<void> {
  const answer = unlessOver(await originOf(env, sessionId).putInit(rendition, version, bytes, connection));
  if (answer.verdict === "none") throw new Problem("not_found", "the session has no such rendition");
}
