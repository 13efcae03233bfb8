import { CAPTION_CHANNEL } from "../../protocol/live.ts";
import { initVersionNamed, type OriginAnswer, originOf } from "../live/index.ts";
import type { Protection } from "../media/cenc/content-key.ts";
import { textInit } from "../media/live/wvtt.ts";
import { keyTags } from "../media/hls/key-tags.ts";
import { liveThumbnailKey, renditionKey } from "../platform/storage/keys.ts";
import type { Env } from "../platform/env.ts";
import { Problem } from "../platform/http/problems.ts";
import type { Lasting } from "../platform/single-flight.ts";
import { findContentKey, protectionOf as signalled } from "../tenancy/drm/index.ts";
import { encryptInit, encryptMedia } from "./encrypted-media.ts";
import { CORS } from "./headers.ts";
import type { EncryptedWith, LiveAddress } from "./live-address.ts";

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
  vtt: "text/vtt; charset=utf-8",
};

/**
 * Answers a live resource: stored segments from R2, everything else from the session's origin.
 *
 * @throws {Problem} playback_not_found, not_ready, bad_directives, unavailable
 */
export async function answerLiveAddress(env: Env, ctx: Lasting, address: LiveAddress): Promise<Response> {
  const { sessionId } = address;
  const origin = originOf(env, sessionId);
  switch (address.kind) {
    case "init": {
      if (CAPTION_CHANNEL.test(address.rendition)) return respond(textInit(), TYPES.mp4, IMMUTABLE);
      const { rendition, version, encryption } = address;
      const clear = await answerKey(env, initKey(sessionId, rendition, version));
      if (encryption === null) return clear;
      return respond(await encryptInit(env, ctx, encryption.keyId, await bytesOf(clear)), TYPES.mp4, IMMUTABLE);
    }
    case "media":
      return await answerMedia(env, ctx, address);
    case "text":
      return await answerText(env, address);
    case "playlist": {
      const { rendition, directives, isDvr, encryption } = address;
      const tags = keyTags(await protectionOf(env, ctx, encryption));
      return await answerOrigin(env, await origin.playlist(rendition, directives, isDvr, tags));
    }
    case "mpd": {
      const protection = await protectionOf(env, ctx, address.encryption);
      const mpd = await origin.mpd({ ...address, protection });
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

async function protectionOf(env: Env, ctx: Lasting, encryption: EncryptedWith | null): Promise<Protection | null> {
  if (encryption === null) return null;
  return signalled(await findContentKey(env, ctx, encryption.keyId), encryption.keySystems);
}

async function answerMedia(
  env: Env,
  ctx: Lasting,
  { sessionId, rendition, msn, part, encryption }: Extract<LiveAddress, { kind: "media" }>,
): Promise<Response> {
  const encrypt = async (clear: Response, initVersion: number, isGrowing = false) => {
    if (encryption === null || clear.body === null) return clear;
    const key = initKey(sessionId, rendition, initVersion);
    const body = await encryptMedia(env, ctx, encryption.keyId, {
      body: clear.body,
      bytes: isGrowing ? Infinity : null, // whole segments and parts of broadcasts are small
      initKey: key,
      readInit: async () => await bytesOf(await answerKey(env, key)),
    });
    return new Response(body, { status: clear.status, headers: clear.headers });
  };
  if (CAPTION_CHANNEL.test(rendition))
    return await answerOrigin(env, await originOf(env, sessionId).captionsMp4(rendition, msn));
  // A stored segment costs the origin no request.
  const stored = part === null ? await env.MEDIA.get(renditionKey(sessionId, rendition, `${msn}.m4s`)) : null;
  if (stored !== null)
    return await encrypt(respond(stored.body, TYPES.mp4, IMMUTABLE), initVersionNamed(stored.customMetadata) ?? 0);
  const answer = await originOf(env, sessionId).media(rendition, msn, part);
  const initVersion = "initVersion" in answer ? answer.initVersion : 0;
  return await encrypt(await answerOrigin(env, answer), initVersion, answer.kind === "growing");
}

/** Captions are never encrypted, as those of on-demand media. */
async function answerText(
  env: Env,
  { sessionId, rendition, msn, part }: Extract<LiveAddress, { kind: "text" }>,
): Promise<Response> {
  const stored = part === null ? await env.MEDIA.get(renditionKey(sessionId, rendition, `${msn}.vtt`)) : null;
  if (stored !== null) return respond(stored.body, TYPES.vtt, IMMUTABLE);
  return await answerOrigin(env, await originOf(env, sessionId).captions(rendition, msn, part));
}

const initKey = (sessionId: string, rendition: string, version: number) =>
  renditionKey(sessionId, rendition, `init-${version}.mp4`);
const bytesOf = async (answer: Response) => new Uint8Array(await answer.arrayBuffer());

const nothing = () => new Problem("playback_not_found", "no such part of a stream");

async function answerOrigin(env: Env, answer: OriginAnswer): Promise<Response> {
  switch (answer.kind) {
    case "playlist": {
      const { text, hasEnded, isEdge, targetDurationSeconds } = answer;
      const kept = hasEnded ? ENDED : isEdge ? `public, max-age=${BLOCKING_TARGETS * targetDurationSeconds}` : NEWEST;
      return respond(text, TYPES.m3u8, kept);
    }
    case "text":
      return respond(answer.text, TYPES.vtt, IMMUTABLE);
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
