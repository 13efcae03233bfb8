import type { PartAnswer, PartQuery } from "../../../protocol/live.ts";
import { factsOfPart, type PartPlace } from "../../../protocol/part-facts.ts";
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
  place: PartPlace,
  query: z.infer<typeof PartQuery>,
  body: Uint8Array<ArrayBuffer>,
): Promise<PartAnswer> {
  const bytes = body.subarray(query.captions);
  const captions = partCaptions(body.subarray(0, query.captions));
  const facts = factsOfPart(place, query);
  const arriving = { ...facts, bytes: bytes.byteLength, ...(captions.length > 0 ? { captions } : {}) };
  return unlessOver(await originOf(env, sessionId).putPart(arriving, bytes, connection));
}
