import type { PartAnswer, PartQuery } from "../../../protocol/live.ts";
import { partCaptions } from "./part-captions.ts";
import type { z } from "zod";
import type { Env } from "../../platform/env.ts";
import { originOf } from "../origin/origin-calls.ts";
import type { SessionGrant } from "../sessions/session-token.ts";
import { unlessOver } from "./session-over.ts";

/**
 * Writes a part to the live origin, with its captions.
 *
 * @param body the captions, then the part
 * @throws {Problem} session_over; validation_failed
 */
export async function storePart(
  env: Env,
  { sessionId, connection }: SessionGrant,
  { rendition, msn, part }: { rendition: string; msn: number; part: number },
  facts: z.infer<typeof PartQuery>,
  body: Uint8Array<ArrayBuffer>,
): Promise<PartAnswer> {
  const bytes = body.subarray(facts.captions);
  const captions = partCaptions(body.subarray(0, facts.captions));
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
    ...(captions.length > 0 ? { captions } : {}),
  };
  return unlessOver(await originOf(env, sessionId).putPart(arriving, bytes, connection));
}
