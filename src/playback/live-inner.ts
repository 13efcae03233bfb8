import { type OriginAnswer, originOf } from "../live/index.ts";
import { liveThumbnailKey, renditionKey } from "../platform/storage/keys.ts";
import type { Env } from "../platform/env.ts";
import { Problem } from "../platform/http/problems.ts";
import { CORS } from "./headers.ts";
import type { LiveAddress } from "./live-address.ts";

const IMMUTABLE = "public, max-age=31536000, immutable";
/** Live manifests: at most half a target duration (RFC 8216bis, appendix on caches). */
const NEWEST = "public, max-age=1";
const ENDED = "public, max-age=60";
const THUMBNAIL = "public, max-age=5";
/** Cache lifetime of the answer to a blocking request, in target durations. */
const BLOCKING_TARGETS = 6;

const TYPES = {
  m3u8: "application/vnd.apple.mpegurl",
  mpd: "application/dash+xml",
  mp4: "video/mp4",
  jpg: "image/jpeg",
};

/**
 * Answers a live resource: stored segments from R2, everything else from the session's origin.
 *
 * @throws {Problem} playback_not_found, not_ready, bad_directives, unavailable
 */
export async function answerLiveAddress(env: Env, address: LiveAddress): Promise<Response> {
  const { sessionId } = address;
  const origin = originOf(env, sessionId);
  switch (address.kind) {
    case "init":
      return await answerKey(env, renditionKey(sessionId, address.rendition, `init-${address.version}.mp4`));
    case "media": {
      const { rendition, msn, part } = address;
      // A stored segment costs the origin no request.
      const stored = part === null ? await env.MEDIA.get(renditionKey(sessionId, rendition, `${msn}.m4s`)) : null;
      if (stored !== null) return respond(stored.body, TYPES.mp4, IMMUTABLE);
      return await answerOrigin(env, await origin.media(rendition, msn, part));
    }
    case "playlist":
      return await answerOrigin(env, await origin.playlist(address.rendition, address.directives, address.isDvr));
    case "mpd": {
      const mpd = await origin.mpd(address);
      if (mpd === null) throw new Problem("not_ready", "the broadcast has just begun");
      return respond(mpd.text, TYPES.mpd, mpd.hasEnded ? ENDED : NEWEST);
    }
    case "thumbnail": {
      const object = await env.MEDIA.get(liveThumbnailKey(sessionId));
      if (object === null) throw new Problem("not_ready", "the broadcast has no thumbnail yet");
      return respond(object.body, TYPES.jpg, THUMBNAIL);
    }
  }
}

const nothing = () => new Problem("playback_not_found", "no such part of a stream");

async function answerOrigin(env: Env, answer: OriginAnswer): Promise<Response> {
  switch (answer.kind) {
    case "playlist": {
      const { text, hasEnded, isEdge, targetDurationSeconds } = answer;
      const kept = hasEnded ? ENDED : isEdge ? `public, max-age=${BLOCKING_TARGETS * targetDurationSeconds}` : NEWEST;
      return respond(text, TYPES.m3u8, kept);
    }
    case "bytes":
      return respond(answer.bytes.slice(), TYPES.mp4, IMMUTABLE);
    case "growing":
      return respond(answer.stream, TYPES.mp4, IMMUTABLE);
    case "stored":
      return await answerKey(env, answer.key, answer.range);
    case "ended":
      // DASH clients that do not re-read `type`, such as libavformat, read an empty segment as the end, and 404 as a lost segment.
      return new Response(null, { status: 204, headers: { ...CORS, "cache-control": ENDED } });
    case "bad":
      throw new Problem("bad_directives", answer.problem); // RFC 8216bis §6.2.5.2 wants 400
    case "late":
      throw new Problem("unavailable", "it has not come in time");
    case "nothing":
      throw nothing();
  }
}

async function answerKey(env: Env, key: string, range: { offset: number; length: number } | null = null) {
  const object = await env.MEDIA.get(key, range === null ? {} : { range });
  if (object === null) throw nothing();
  return respond(object.body, TYPES.mp4, IMMUTABLE);
}

const respond = (body: BodyInit, contentType: string, cacheControl: string) =>
  new Response(body, { headers: { ...CORS, "content-type": contentType, "cache-control": cacheControl } });
