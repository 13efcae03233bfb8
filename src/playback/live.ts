import type { OriginAnswer } from "../../durable-objects/live-origin.ts";
import { liveMultivariant } from "../delivery/live/multivariant.ts";
import { readDirectives } from "../delivery/live/reload.ts";
import type { Env } from "../env.ts";
import { Problem } from "../http/problems.ts";
// By file: the index leads to routes that lead back here.
import { originOf } from "../live/origin-calls.ts";
import { findLivePlayable, isSessionOf } from "../live/playback.ts";
import { CORS, problemAnswer } from "./headers.ts";
import type { LiveTarget } from "./live-paths.ts";
import { Recent } from "./recent.ts";

/** How long an isolate believes that a session is a playback id's: a deleted stream plays on no longer than that. */
const KNOWN_MS = 1000;
const known = new Recent<true>(512);

const IMMUTABLE = "public, max-age=31536000, immutable";
const PLAYLIST_TYPE = "application/vnd.apple.mpegurl";
/** A playlist that was waited for never changes under its address, but nobody asks for it again after a while. */
const WAITED_FOR = "public, max-age=60";
/** Any other one is the newest for a moment. */
const NEWEST = "public, max-age=1";

/**
 * The multivariant playlist of a stream.
 *
 * @returns null when the playback id is none of a stream
 * @throws {Problem} not_ready: players ask again, and nothing of it is cached
 */
export async function answerLiveMultivariant(env: Env, playbackId: string): Promise<Response | null> {
  const playable = await findLivePlayable(env.DB, playbackId);
  if (playable === null) return null;
  const { session } = playable;
  if (session === null || session.hasEnded) throw new Problem("not_ready", "the stream is not on air");
  return respond(liveMultivariant(session.renditions, `${playbackId}/${session.id}`), PLAYLIST_TYPE, NEWEST);
}

/** @throws {Problem} playback_not_found, validation_failed, unavailable */
export async function answerLive(
  request: Request,
  env: Env,
  target: LiveTarget,
  query: URLSearchParams,
): Promise<Response> {
  const { playbackId, sessionId, rendition } = target;
  await requireSessionOf(env, playbackId, sessionId);
  const origin = originOf(env, sessionId);
  if (target.kind === "live-init")
    return await answerStored(env, await origin.initKey(rendition, target.version), null);
  if (target.kind === "live-media")
    return await answerOrigin(env, await origin.media(rendition, target.msn, target.part), IMMUTABLE);
  const directives = readDirectives(query);
  if ("problem" in directives) return badDirectives(directives.problem);
  const answer = await origin.playlist(rendition, directives, false);
  return await answerOrigin(env, answer, directives.waitFor === null ? NEWEST : WAITED_FOR);
}

async function requireSessionOf(env: Env, playbackId: string, sessionId: string): Promise<void> {
  const key = `${playbackId} ${sessionId}`;
  if (known.get(key, Date.now())) return;
  if (!(await isSessionOf(env.DB, playbackId, sessionId))) throw nothing();
  known.set(key, true, Date.now() + KNOWN_MS);
}

const nothing = () => new Problem("playback_not_found", "no such part of a stream");

async function answerOrigin(env: Env, answer: OriginAnswer, cacheControl: string): Promise<Response> {
  switch (answer.kind) {
    case "playlist":
      return respond(answer.text, PLAYLIST_TYPE, cacheControl);
    case "bytes":
      return respond(answer.bytes.slice(), "video/mp4", cacheControl);
    case "stored":
      return await answerStored(env, answer.key, answer.range);
    case "bad":
      return badDirectives(answer.problem);
    case "late":
      throw new Problem("unavailable", "it has not come in time");
    case "nothing":
      throw nothing();
  }
}

async function answerStored(
  env: Env,
  key: string | null,
  range: { offset: number; length: number } | null,
): Promise<Response> {
  const object = key === null ? null : await env.MEDIA.get(key, range === null ? {} : { range });
  if (object === null) throw nothing();
  return respond(object.body, "video/mp4", IMMUTABLE);
}

/** RFC 8216bis §6.2.5.2 wants 400. */
const badDirectives = (problem: string) => problemAnswer(new Problem("bad_directives", problem));

const respond = (body: BodyInit, contentType: string, cacheControl: string) =>
  new Response(body, { headers: { ...CORS, "content-type": contentType, "cache-control": cacheControl } });
