import type { Env } from "../../platform/env.ts";
import { Problem } from "../../platform/http/problems.ts";
import { originOf } from "../origin/origin-calls.ts";
import type { SessionGrant } from "../sessions/session-token.ts";
import { unlessOver } from "./session-over.ts";

const isJpeg = (bytes: Uint8Array) => bytes[0] === 0xff && bytes[1] === 0xd8 && bytes[2] === 0xff;

/** Writes the newest thumbnail to the live origin. @throws {Problem} validation_failed; session_over; not_found */
export async function storeThumbnail(
  env: Env,
  { sessionId, connection }: SessionGrant,
  capturedAtMs: number,
  bytes: Uint8Array,
): Promise<void> {
  if (!isJpeg(bytes)) throw new Problem("validation_failed", "the body is not a JPEG picture");
  const answer = unlessOver(await originOf(env, sessionId).putThumbnail(capturedAtMs, bytes, connection));
  if (answer.verdict === "none") throw new Problem("not_found", "the session has not started");
}
