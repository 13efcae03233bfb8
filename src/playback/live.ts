import { CAPTION_CHANNEL, SOUND_RENDITION } from "../../protocol/live.ts";
import type { Protection } from "../media/cenc/content-key.ts";
import { type LiveOffer, liveMultivariant } from "../media/live/multivariant.ts";
import { readDirectives } from "../media/live/reload.ts";
import type { Selection } from "../media/manifest/selection.ts";
import type { Env } from "../platform/env.ts";
import { Problem } from "../platform/http/problems.ts";
import { findLiveSession, type LivePlayable, type LiveSession, originOf, stageOf } from "../live/index.ts";
import { wantsGzip } from "./accepts-gzip.ts";
import { CORS } from "./headers.ts";
import type { EncryptedWith, LiveAddress } from "./live-address.ts";
import type { SessionTarget } from "./live-paths.ts";
import { admitToSession } from "./live-admission.ts";
import { answerClipPlaylist } from "./live-clips.ts";
import { answerAfterBroadcast, answerDeletedSession, isRecordingAsked } from "./live-ended.ts";
import { countViewer } from "./live-viewers.ts";
import { isShared, shareLive, type SharedAnswer } from "./live-shared.ts";
import { type RequestContext, fetchLive } from "./origin.ts";
import { TtlCache } from "../platform/ttl-cache.ts";
import type { Permission } from "./permission.ts";
import { broadcastLastsMs } from "./permit-times.ts";
import { protectionFor } from "./protection.ts";
import { offersVariant, selectionOf } from "./resolution-cap.ts";
import type { Viewer } from "./viewer.ts";
import { SingleFlight } from "../platform/single-flight.ts";

/** How long an isolate caches the playback ID of a session, and the variants of a session. A deleted stream remains playable for at most this long. */
const KNOWN_MS = 1000;
const known = new TtlCache<LiveSession>(512);
const lookups = new SingleFlight<LiveSession | null>();
const missing = new TtlCache<true>(1024);
const offers = new TtlCache<LiveOffer>(64);

const PLAYLIST_TYPE = "application/vnd.apple.mpegurl";
const NEWEST = "public, max-age=1";
const isDvrAsked = (query: URLSearchParams) => query.get("dvrMode") === "true";

/**
 * The manifest at a stream's own address: that of the session on air, then that of the last session while players may still reload it,
 * then a redirect to its recording. With `recordingAtEnd`, the recording takes the place of a session as soon as that has ended.
 *
 * @throws {Problem} not_ready (not cached, so that players retry), broadcast_over, validation_failed
 */
export async function answerLiveManifest(
  { request, url: { searchParams: query } }: Viewer,
  permission: Permission,
  env: Env,
  ctx: RequestContext,
  { kind, playbackId }: { kind: "multivariant" | "mpd"; playbackId: string },
  playable: LivePlayable,
): Promise<Response> {
  const selection = selectionOf(query, permission.rules);
  const { session, hasDvr } = playable;
  const stage = stageOf(session, Date.now());
  if (session === null || stage === "idle") throw notOnAir();
  if (stage === "over" || (stage === "ending" && isRecordingAsked(query))) {
    const ended = { id: session.id, endedAtMs: session.endedAtMs! };
    const target = { kind, playbackId, isRecordingAsked: isRecordingAsked(query) };
    return await answerAfterBroadcast(env, permission, target, ended, selection);
  }
  const isDvr = hasDvr && isDvrAsked(query);
  const address = permission.address(broadcastLastsMs(session, playable, Date.now()));
  const protection = await protectionFor(env, ctx, permission.rules, session.id);
  if (kind === "multivariant")
    return await multivariant(env, { address, isProtected: protection !== null }, session, selection, isDvr);
  const answer = await inner(env, ctx, request, {
    kind: "mpd",
    sessionId: session.id,
    playbackId: address,
    isDvr,
    selection,
    omitsType: true, // applies only after the session's end, which this isolate may not have read yet
    encryption: encryptionOf(protection),
  });
  // The MPD of a session that has ended never changes, but the next session plays at this address.
  if (answer.ok) answer.headers.set("cache-control", NEWEST);
  return answer;
}

async function multivariant(
  env: Env,
  { address, isProtected }: { address: string; isProtected: boolean },
  session: NonNullable<LivePlayable["session"]>,
  selection: Selection,
  isDvr: boolean,
): Promise<Response> {
  const offer = await offerOf(env, session, isDvr);
  const query = isDvr ? "?dvrMode=true" : "";
  const text = liveMultivariant(offer, selection, `${address}/${session.id}`, query, isProtected);
  return new Response(text, { headers: { ...CORS, "content-type": PLAYLIST_TYPE, "cache-control": NEWEST } });
}

const encryptionOf = (protection: Protection | null): EncryptedWith | null =>
  protection && { keyId: protection.keyId, keySystems: protection.signals.map(({ keySystem }) => keySystem) };

const notOnAir = () => new Problem("not_ready", "the stream is not on air");

/** The newest thumbnail of a broadcast, as its encoder made it. @throws {Problem} not_ready */
export async function answerLiveThumbnail(
  env: Env,
  ctx: RequestContext,
  request: Request,
  playable: LivePlayable,
): Promise<Response> {
  return await inner(env, ctx, request, { kind: "thumbnail", sessionId: onAir(playable).id });
}

/** @throws {Problem} not_ready */
export function onAir({ session }: LivePlayable) {
  if (session === null || session.endedAtMs !== null) throw notOnAir();
  return session;
}

/** The variants as measured by the origin, or as planned before the origin has opened the session. */
async function offerOf(
  env: Env,
  { id, renditions }: Pick<NonNullable<LivePlayable["session"]>, "id" | "renditions">,
  isDvr: boolean,
): Promise<LiveOffer> {
  const key = isDvr ? `${id} dvr` : id;
  const recent = offers.get(key, Date.now());
  if (recent !== undefined) return recent;
  const offer = await originOf(env, id).offer(isDvr);
  if (offer === null) return { variants: renditions, channels: null, measuredBps: {}, captions: [] };
  offers.set(key, offer, Date.now() + KNOWN_MS);
  return offer;
}

/** @throws {Problem} playback_not_found, not_ready, bad_directives, unavailable */
export async function answerLive(
  viewer: Viewer,
  env: Env,
  ctx: RequestContext,
  target: SessionTarget,
): Promise<Response> {
  const { request } = viewer;
  const query = viewer.url.searchParams;
  const session = await requireSession(env, ctx, target);
  const clip = target.kind === "live-playlist" ? query.get("clip") : null;
  const { permission, isEndOnly } = await admitToSession(viewer, env, session, target, clip !== null);
  const { rules } = permission;
  if (target.kind === "live-time") return time();
  if ("rendition" in target) await requireOffered(env, { ...session, rules }, target.rendition);
  const protection = await protectionFor(env, ctx, rules, session.sessionId);
  if (target.kind === "live-playlist" && clip !== null)
    return await answerClipPlaylist(request, env, ctx, target, clip, protection);
  const hasDvr = session.hasDvr && !isEndOnly;
  const address = addressOf(
    target,
    query,
    { ...session, rules, hasDvr },
    {
      playbackId: permission.address(broadcastLastsMs(session, session, Date.now())),
      encryption: encryptionOf(protection),
    },
  );
  if (address.kind === "playlist" || address.kind === "mpd") await countViewer(request, env, ctx, session, Date.now());
  const answer = await inner(env, ctx, request, address);
  return answer.ok || session.endedAtMs === null ? answer : await orRecording(env, permission, target, answer);
}

/** @throws {Problem} playback_not_found for a rung above the `resolution` of the playback ID, as of an asset */
async function requireOffered(env: Env, { sessionId, renditions, rules }: LiveSession, name: string): Promise<void> {
  if (CAPTION_CHANNEL.test(name) || SOUND_RENDITION.test(name) || offersVariant(renditions, rules, name)) return;
  const { variants } = await offerOf(env, { id: sessionId, renditions }, false); // rungs may have been dropped
  if (!offersVariant(variants, rules, name)) throw new Problem("playback_not_found", "no such part of a stream");
}

/** A player may request a session long after its end. */
async function orRecording(
  env: Env,
  permission: Permission,
  target: SessionTarget,
  answer: Response,
): Promise<Response> {
  const { sessionId } = target;
  const isIndexDeleted = answer.status === 404 || answer.status === 400;
  if (target.kind === "live-mpd" && isIndexDeleted)
    return await answerDeletedSession(env, permission, sessionId, (recording) => `${recording}.mpd`);
  if (target.kind === "live-playlist" && answer.status === 404)
    return await answerDeletedSession(
      env,
      permission,
      sessionId,
      (recording) => `../../${recording}/${target.rendition}.m3u8`,
    );
  return answer;
}

/** Clock synchronization of DASH players (UTCTiming, ISO/IEC 23009-1 §5.8.4.11, `http-iso`). */
const time = () =>
  new Response(new Date().toISOString(), {
    headers: { ...CORS, "content-type": "text/plain", "cache-control": "no-store" },
  });

function addressOf(
  target: Exclude<SessionTarget, { kind: "live-time" }>,
  query: URLSearchParams,
  { sessionId, hasDvr, rules }: LiveSession,
  { playbackId, encryption }: { playbackId: string; encryption: EncryptedWith | null },
): LiveAddress {
  const isDvr = hasDvr && isDvrAsked(query);
  switch (target.kind) {
    case "live-mpd":
      return {
        kind: "mpd",
        sessionId,
        playbackId,
        isDvr,
        selection: selectionOf(query, rules),
        omitsType: false,
        encryption,
      };
    case "live-init":
      return { kind: "init", sessionId, rendition: target.rendition, version: target.version, encryption };
    case "live-media":
      return { kind: "media", sessionId, rendition: target.rendition, msn: target.msn, part: target.part, encryption };
    case "live-text":
      return { kind: "text", sessionId, rendition: target.rendition, msn: target.msn, part: target.part };
    case "live-playlist": {
      const directives = readDirectives(query);
      if ("problem" in directives) throw new Problem("bad_directives", directives.problem);
      return { kind: "playlist", sessionId, rendition: target.rendition, directives, isDvr, encryption };
    }
  }
}

async function inner(env: Env, ctx: RequestContext, request: Request, address: LiveAddress): Promise<Response> {
  if (isShared(address)) return shared(request, await shareLive(ctx, env, address));
  const answer = await fetchLive(ctx, env, address);
  // The headers of another entrypoint's response are immutable, and callers add headers.
  return new Response(answer.body, answer);
}

function shared(request: Request, { status, headers: all, body, gzip }: SharedAnswer): Response {
  const headers = new Headers(all);
  if (gzip === null) return new Response(body, { status, headers });
  headers.set("vary", "Accept-Encoding");
  if (!wantsGzip(request)) return new Response(body, { status, headers });
  headers.set("content-encoding", "gzip");
  return new Response(gzip, { status, headers, encodeBody: "manual" });
}

/** A session with the playback ID by which it is asked for. */
export const sessionKey = ({ playbackId, sessionId }: Pick<SessionTarget, "playbackId" | "sessionId">): string =>
  `${playbackId} ${sessionId}`;

/** Whether a session was looked up within the last second and not found. */
export const isMissingSession = (key: string): boolean => missing.get(key, Date.now()) === true;

async function requireSession(
  env: Env,
  ctx: RequestContext,
  { playbackId, sessionId }: SessionTarget,
): Promise<LiveSession> {
  const key = sessionKey({ playbackId, sessionId });
  const recent = known.get(key, Date.now());
  if (recent !== undefined) return recent;
  const session = isMissingSession(key)
    ? null
    : await lookups.share(key, ctx, () => findLiveSession(env.DB, playbackId, sessionId));
  if (session === null) {
    missing.set(key, true, Date.now() + KNOWN_MS);
    throw new Problem("playback_not_found", "no such part of a stream");
  }
  known.set(key, session, Date.now() + KNOWN_MS);
  return session;
}
