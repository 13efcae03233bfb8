import type { PartAnswer, PartQuery } from "../../../protocol/live.ts";
import type { z } from "zod";
import type { Env } from "../../platform/env.ts";
import { originOf } from "../origin/origin-calls.ts";
import type { SessionGrant } from "../sessions/session-token.ts";
import { unlessOver } from "./session-over.ts";

/** Writes a part to the live origin. @throws {Problem} session_over */
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
