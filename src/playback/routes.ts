import { Hono } from "hono";
import type { Env } from "../platform/env.ts";
import { logError } from "../platform/log.ts";
import { Problem } from "../platform/http/problems.ts";
import { preflight, problemAnswer } from "./headers.ts";
import { answerClip } from "./live-clips.ts";
import { answerLive, answerLiveManifest } from "./live.ts";
import { recentOutcome } from "./live-ended.ts";
import { type LiveTarget, readLiveTarget } from "./live-paths.ts";
import { answerManifest } from "./manifests.ts";
import { type RequestContext, fetchSegment } from "./origin.ts";
import { answerPage, answerPageFile } from "./page.ts";
import { readTarget, type Target } from "./paths.ts";
import { type Resolved, resolveAssetId, resolvePlaybackId } from "./resolve.ts";

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
  const url = new URL(request.url);
  const target = NOT_PLAYBACK.test(url.pathname) ? null : readAnyTarget(url);
  return target && answerOrProblem(request, url, target, env, ctx);
}

const NOT_PLAYBACK = /^\/(?:v1|internal)\//;

const readAnyTarget = (url: URL): Target | LiveTarget | null => readLiveTarget(url.pathname) ?? readTarget(url);

/** Playback URLs with any other method. */
export const playbackRoutes = new Hono<{ Bindings: Env }>();

playbackRoutes.use("*", async (c, next) => {
  if (readAnyTarget(new URL(c.req.url)) === null) return next();
  if (c.req.method === "OPTIONS") return preflight();
  return problemAnswer(new Problem("method_not_allowed", "only GET and HEAD"), { allow: "GET, HEAD, OPTIONS" });
});

async function answerOrProblem(
  request: Request,
  url: URL,
  target: Target | LiveTarget,
  env: Env,
  ctx: RequestContext,
): Promise<Response> {
  try {
    return await answerTarget(request, url, target, env, ctx);
  } catch (error) {
    if (error instanceof Problem) return problemAnswer(error);
    logError("playback.failed", {
      path: url.pathname,
      error: String(error),
      stack: error instanceof Error ? error.stack : undefined,
    });
    return problemAnswer(new Problem("internal", "something failed on our side"));
  }
}

async function answerTarget(
  request: Request,
  url: URL,
  target: Target | LiveTarget,
  env: Env,
  ctx: RequestContext,
): Promise<Response> {
  if (target.kind === "multivariant" || target.kind === "mpd") {
    const clip = await answerClip(request, url, env, ctx, target);
    if (clip !== null) return clip;
  }
  switch (target.kind) {
    case "nothing":
      throw unknown();
    case "page":
      return answerPage(request, env, ctx, target.playbackId);
    case "page-file":
      return answerPageFile(request, env, target.file);
    case "live-playlist":
    case "live-init":
    case "live-media":
    case "live-mpd":
    case "live-time":
    case "live-thumbnail":
      return answerLive(request, env, ctx, target, url.searchParams);
    case "multivariant":
    case "mpd":
      return await answerMain(request, target, env, ctx, url.searchParams);
    case "segment":
      return answerSegmentOf(request, target, env, ctx);
    default:
      return await answerPlaylist(request, target, env, ctx, url.searchParams);
  }
}

/** The main manifest of an asset or a stream. */
async function answerMain(
  request: Request,
  target: Extract<Target, { kind: "multivariant" | "mpd" }>,
  env: Env,
  ctx: RequestContext,
  query: URLSearchParams,
): Promise<Response> {
  const recent = recentOutcome(target, query);
  if (recent !== null) return recent;
  const resolved = await requireResolved(env, ctx, target.playbackId);
  return resolved.kind === "asset"
    ? await answerManifest(request, resolved.playable, target, query)
    : await answerLiveManifest(request, env, ctx, target, query, resolved.playable);
}

/** The playlist of one rendition of an asset. */
async function answerPlaylist(
  request: Request,
  target: Extract<Target, { kind: "media-playlist" | "iframe-playlist" }>,
  env: Env,
  ctx: RequestContext,
  query: URLSearchParams,
): Promise<Response> {
  const resolved = await requireResolved(env, ctx, target.playbackId);
  if (resolved.kind !== "asset") throw unknown();
  return await answerManifest(request, resolved.playable, target, query);
}

/** @throws {Problem} playback_not_found */
async function requireResolved(env: Env, ctx: RequestContext, playbackId: string): Promise<Resolved> {
  const resolved = await resolvePlaybackId(env.DB, ctx, playbackId);
  if (resolved === null) throw unknown();
  return resolved;
}

const unknown = () => new Problem("playback_not_found", "no such playback id");

async function answerSegmentOf(
  request: Request,
  { playbackId, rendition, file }: Extract<Target, { kind: "segment" }>,
  env: Env,
  ctx: RequestContext,
): Promise<Response> {
  const assetId = await resolveAssetId(env.DB, playbackId);
  if (assetId === null) throw unknown();
  const answer = await fetchSegment(request, ctx, env, { assetId, rendition, file });
  // The headers of another entrypoint's response are immutable, and code further out adds its own.
  return new Response(answer.body, answer);
}
