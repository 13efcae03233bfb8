/** Writes a session's media from its gateway to the live origin. */
import type { PartAnswer, PartQuery } from "../../../protocol/live.ts";
import type { z } from "zod";
import type { Env } from "../../platform/env.ts";
import { Problem } from "../../platform/http/problems.ts";
import { logWarning } from "../../platform/log.ts";
import { originOf } from "../origin/origin-calls.ts";
import type { SessionGrant } from "../sessions/session-token.ts";
import { sessionOver } from "./session-auth.ts";

/** @throws {Problem} session_over; not_found */
export async function storeInit(
  env: Env,
  { sessionId, connection }: SessionGrant,
  { rendition, version }: { rendition: string; version: number },
  bytes: Uint8Array,
): Promise<void> {
  const answer = unlessOver(await originOf(env, sessionId).putInit(rendition, version, bytes, connection));
  if (answer.verdict === "none") throw new Problem("not_found", "the session has no such rendition");
}

/** @throws {Problem} session_over */
export async function storePart(
  env: Env,
  { sessionId, connection }: SessionGrant,
  { rendition, msn, part }: { rendition: string; msn: number; part: number },
  facts: z.infer<typeof PartQuery>,
  bytes: Uint8Array,
): Promise<PartAnswer> {
  const arriving = {
    rendition,
    msn,
    part,
    durationTicks: facts.ticks,
    decodeTicks: facts.at,
    bytes: bytes.byteLength,
    isIndependent: facts.independent,
    isLast: facts.last,
    capturedAtMs: facts.capturedAt,
    isDiscontinuous: facts.discontinuity,
    initVersion: facts.init,
  };
  return unlessOver(await originOf(env, sessionId).putPart(arriving, bytes, connection));
}

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

const isJpeg = (bytes: Uint8Array) => bytes[0] === 0xff && bytes[1] === 0xd8 && bytes[2] === 0xff;

/** @throws {Problem} validation_failed; session_over; not_found */
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

function unlessOver<Verdict extends { verdict: string }>(
  written: Verdict | { verdict: "over" },
): Exclude<Verdict, { verdict: "over" }> {
  if (written.verdict === "over") throw sessionOver();
  return written as Exclude<Verdict, { verdict: "over" }>;
}
