import type { Env } from "../../platform/env.ts";
import { Problem } from "../../platform/http/problems.ts";
import { originOf } from "../origin/origin-calls.ts";
import type { SessionGrant } from "../sessions/session-token.ts";
import { unlessOver } from "./session-over.ts";
import { type PartAnswer, PartCaptions, type PartQuery } from "../../../protocol/live.ts";
import type { MediaFormat } from "../../../protocol/init-facts.ts";
import { factsOfPart, type PartPlace } from "../../../protocol/part-facts.ts";
import type { z } from "zod";
import { cleanMarkup } from "../../media/captions/markup.ts";
import { cleanSettings } from "../../media/captions/webvtt.ts";
import { logWarning } from "../../platform/log.ts";

/** Writes an init segment to the live origin. @param format null = the gateway does not report it @throws {Problem} session_over; not_found */
export async function storeInit(
  env: Env,
  { sessionId, connection }: SessionGrant,
  { rendition, version }: { rendition: string; version: number },
  bytes: Uint8Array,
  format: MediaFormat | null,
): Promise<void> {
  const answer = unlessOver(await originOf(env, sessionId).putInit(rendition, version, bytes, connection, format));
  if (answer.verdict === "none") throw new Problem("not_found", "the session has no such rendition");
}

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

/** Reads the captions of a part. Their text is cleaned again, because it is the broadcaster's. @throws {Problem} validation_failed */
function partCaptions(json: Uint8Array): PartCaptions {
  if (json.byteLength === 0) return [];
  const parsed = PartCaptions.safeParse(parse(new TextDecoder().decode(json)));
  if (!parsed.success) throw new Problem("validation_failed", "the part's captions are malformed");
  return parsed.data.map(({ cues, ...rest }) => ({
    ...rest,
    cues: cues.flatMap((cue) => {
      const clean = { ...cue, settings: cleanSettings(cue.settings), text: cleanMarkup(cue.text) };
      return clean.text === "" || clean.startMs >= clean.endMs ? [] : [clean];
    }),
  }));
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

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
