import { unknownPlayback } from "./unknown-playback.ts";
import { Hono } from "hono";
import type { Env } from "../platform/env.ts";
import { errorFields, logError } from "../platform/log.ts";
import { Problem } from "../platform/http/problems.ts";
import { prefersHtml } from "../platform/http/html-page.ts";
import { problemPage } from "../platform/http/problem-page.ts";
import { unmigratedProblem } from "../platform/http/unmigrated.ts";
import { limitCaching } from "./caching.ts";
import { CORS, preflight, problemAnswer } from "./headers.ts";
import { boundGuesses } from "./guessed-ids.ts";
import { holdReload } from "./held-reload.ts";
import { answerImage } from "./images.ts";
import { answerClip } from "./live-clips.ts";
import { answerLive, answerLiveManifest, isMissingSession, sessionKey } from "./live.ts";
import { recentOutcome } from "./live-ended.ts";
import { readLiveTarget, type SessionTarget } from "./live-paths.ts";
import { answerManifest, answerRecentManifest } from "./manifests.ts";
import { type RequestContext, fetchSegment } from "./origin.ts";
import { answerPage, answerPageFile } from "./page.ts";
import { answerChapters } from "./chapters.ts";
import { answerDownload } from "./downloads.ts";
import { answerText } from "./text.ts";
import { answerSourceFile } from "./source-file.ts";
import { readTarget, splitPermit, type Target } from "./paths.ts";
import { protectionFor } from "./protection.ts";
import { offersRendition } from "./resolution-cap.ts";
import { isMissing, offersText, type Resolved, resolveAsset, resolveOffering, resolvePlaybackId } from "./resolve.ts";
import { Viewer } from "./viewer.ts";
import { requireWholeMedia } from "./whole-media.ts";
import { mediaListOf } from "../media/manifest/model.ts";

/**
 * Playback on any host: manifests, segments and the hosted page. This is the outer of two entrypoints. It authorizes viewers and
 * renders manifests, which depend on the asset's state; immutable segments come from `PlaybackOrigin`.
 *
 * Players send most of all requests, so these bypass the router and its middleware.
 *
 * @returns null for any other URL, and for methods other than GET and HEAD
 */
export function answerPlayback(request: Request, env: Env, ctx: RequestContext): Promise<Response> | null {
  if (request.method !== "GET" && request.method !== "HEAD") return null;
  const recent = answerRecentManifest(request);
  if (recent !== null) return Promise.resolve(recent);
  const url = new URL(request.url);
  if (NOT_PLAYBACK.test(url.pathname)) return null;
  const { path, permit } = splitPermit(url.pathname);
  const target = readAnyTarget(url, path);
  return target && answerOrProblem(new Viewer(request, url, permit, env, ctx), target, env, ctx);
}

const NOT_PLAYBACK = /^\/(?:v1|internal)\//;

const readAnyTarget = (url: URL, path: string): Target | SessionTarget | null =>
  readLiveTarget(path) ?? readTarget(url, path);

/** Playback URLs with any other method. */
export const playbackRoutes = new Hono<{ Bindings: Env }>();

playbackRoutes.use("*", async (c, next) => {
  const url = new URL(c.req.url);
  const target = readAnyTarget(url, splitPermit(url.pathname).path);
  if (target === null) return next();
  if (c.req.method === "OPTIONS") return preflight();
  if (target.kind === "nothing") return problemAnswer(unknownPlayback());
  return problemAnswer(new Problem("method_not_allowed", "only GET, HEAD and OPTIONS"), {
    allow: "GET, HEAD, OPTIONS",
  });
});

/** No content leaves without a permission, also when a route forgets to ask for it. */
async function answerOrProblem(
  viewer: Viewer,
  target: Target | SessionTarget,
  env: Env,
  ctx: RequestContext,
): Promise<Response> {
  const answer = await answerKnown(viewer, target, env, ctx).catch((error: unknown) => refuse(viewer, error));
  if (viewer.permission !== null) limitCaching(answer, viewer.permission);
  else if (answer.status < 400 && "playbackId" in target) {
    await answer.body?.cancel();
    return await refuse(viewer, new Error(`an answer of kind ${target.kind} without a permission`));
  }
  return answer;
}

/** Bounds the ids that a network tries. A session counts with its stream: guessing it needs no other stream. */
function answerKnown(viewer: Viewer, target: Target | SessionTarget, env: Env, ctx: RequestContext): Promise<Response> {
  const answer = () => answerTarget(viewer, target, env, ctx);
  if (!("playbackId" in target)) return answer();
  if ("sessionId" in target) {
    const id = sessionKey(target);
    return boundGuesses(viewer.request, env, id, answer, () => isMissingSession(id));
  }
  const { playbackId } = target;
  return boundGuesses(viewer.request, env, playbackId, answer, () => isMissing(playbackId));
}

/** A person who opens a playback URL in a browser gets a page; players get JSON. */
async function refuse({ request, url }: Viewer, error: unknown): Promise<Response> {
  if (!(error instanceof Problem))
    logError("playback.failed", {
      path: splitPermit(url.pathname).path,
      ...errorFields(error),
    });
  const problem =
    error instanceof Problem
      ? error
      : (unmigratedProblem(error) ?? new Problem("internal", "something failed on our side"));
  return prefersHtml(request) ? await problemPage(request, problem, CORS) : problemAnswer(problem);
}

async function answerTarget(
  viewer: Viewer,
  target: Target | SessionTarget,
  env: Env,
  ctx: RequestContext,
): Promise<Response> {
  if (target.kind === "multivariant" || target.kind === "mpd") {
    const clip = await answerClip(viewer, env, ctx, target);
    if (clip !== null) return clip;
  }
  switch (target.kind) {
    case "nothing":
      throw unknownPlayback();
    case "page":
      return answerPage(viewer, env, ctx, target.playbackId);
    case "download":
      return await answerDownload(viewer, env, ctx, target);
    case "image":
      return await answerImage(viewer, env, ctx, target);
    case "text":
      return await answerText(viewer, env, ctx, target);
    case "chapters":
      return await answerChapters(viewer, env, ctx, target);
    case "source":
      return await answerSourceFile(viewer, env, target.playbackId);
    case "page-file":
      return answerPageFile(viewer.request, env, target.file);
    case "live-playlist":
    case "live-init":
    case "live-media":
    case "live-text":
    case "live-mpd":
    case "live-time":
      return answerLive(viewer, env, ctx, target);
    case "multivariant":
    case "mpd":
      return await answerMain(viewer, target, env, ctx);
    case "segment":
      return answerSegmentOf(viewer, target, env, ctx);
    default:
      return await answerPlaylist(viewer, target, env, ctx);
  }
}

/** The main manifest of an asset or a stream. */
async function answerMain(
  viewer: Viewer,
  target: Extract<Target, { kind: "multivariant" | "mpd" }>,
  env: Env,
  ctx: RequestContext,
): Promise<Response> {
  const recent = await recentOutcome(viewer, target);
  if (recent !== null) return recent;
  const resolved = await requireResolved(env, ctx, target.playbackId);
  const permission = await viewer.admit(resolved.rules);
  if (resolved.kind === "stream")
    return await answerLiveManifest(viewer, permission, env, ctx, target, resolved.playable);
  requireWholeMedia(viewer.url.searchParams);
  return await answerManifest(viewer, permission, env, ctx, resolved, target);
}

/** The playlist of one rendition or subtitle track of an asset. */
async function answerPlaylist(
  viewer: Viewer,
  target: Extract<Target, { kind: "media-playlist" | "iframe-playlist" | "text-playlist" }>,
  env: Env,
  ctx: RequestContext,
): Promise<Response> {
  const listIn = (one: Resolved) =>
    "trackId" in target || one.kind !== "asset" ? null : mediaListOf(one.playable, target.rendition);
  const offers = (one: Resolved) => ("trackId" in target ? offersText(one, target.trackId) : listIn(one) !== null);
  const look = async () => {
    const resolved = await resolveOffering(env.DB, ctx, target.playbackId, offers);
    if (resolved === null) throw unknownPlayback();
    const permission = await viewer.admit(resolved.rules);
    if (resolved.kind !== "asset") throw unknownPlayback();
    if ("rendition" in target && !offersRendition(resolved, target.rendition)) throw unknownPlayback();
    return { permission, resolved, list: listIn(resolved) };
  };
  const first = await look();
  const { permission, resolved } =
    target.kind === "media-playlist" ? await holdReload(viewer.url.searchParams, first, look) : first;
  return await answerManifest(viewer, permission, env, ctx, resolved, target);
}

/** @throws {Problem} playback_not_found */
async function requireResolved(env: Env, ctx: RequestContext, playbackId: string): Promise<Resolved> {
  const resolved = await resolvePlaybackId(env.DB, ctx, playbackId);
  if (resolved === null) throw unknownPlayback();
  return resolved;
}

async function answerSegmentOf(
  viewer: Viewer,
  { playbackId, rendition, file }: Extract<Target, { kind: "segment" }>,
  env: Env,
  ctx: RequestContext,
): Promise<Response> {
  const asset = await resolveAsset(env.DB, playbackId);
  if (asset === null) throw unknownPlayback();
  await viewer.admit(asset.rules);
  if (asset.rules.resolution !== null) {
    const resolved = await resolvePlaybackId(env.DB, ctx, playbackId);
    if (resolved?.kind !== "asset" || !offersRendition(resolved, rendition)) throw unknownPlayback();
  }
  const protection = await protectionFor(env, ctx, asset.rules, asset.assetId);
  const address = { assetId: asset.assetId, rendition, file, keyId: protection?.keyId ?? null };
  const answer = await fetchSegment(viewer.request, ctx, env, address);
  // The headers of another entrypoint's response are immutable, and code further out adds its own.
  return new Response(answer.body, answer);
}
