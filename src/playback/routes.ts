import { Hono } from "hono";
import type { Env } from "../platform/env.ts";
import { Problem } from "../platform/http/problems.ts";
import { preflight, problemAnswer } from "./headers.ts";
import { answerClip } from "./live-clips.ts";
import { answerLive, answerLiveManifest } from "./live.ts";
import { recentOutcome } from "./live-ended.ts";
import { type LiveTarget, readLiveTarget } from "./live-paths.ts";
import { answerManifest } from "./manifests.ts";
import { type Caller, fetchSegment } from "./origin.ts";
import { answerPage, answerPageFile } from "./page.ts";
import { readTarget, type Target } from "./paths.ts";
import { type Resolved, resolveAssetId, resolvePlaybackId } from "./resolve.ts";

/**
 * Playback on any host: manifests, segments and the hosted page. This is the outer of two entrypoints: it decides who may have what and
 * renders manifests, which depend on the asset's state; segments, which never change, come from `PlaybackOrigin`.
 *
 * Players send far more requests than all other clients together, so that these pass no router and no middleware.
 *
 * @returns null when it is not a request to play: other addresses, and methods that playback refuses
 */
export function answerPlayback(request: Request, env: Env, ctx: Caller): Promise<Response> | null {
  if (request.method !== "GET" && request.method !== "HEAD") return null;
  const url = new URL(request.url);
  const target = NOT_PLAYBACK.test(url.pathname) ? null : readAnyTarget(url);
  return target && answerOrProblem(request, url, target, env, ctx);
}

const NOT_PLAYBACK = /^\/(?:v1|internal)\//;

const readAnyTarget = (url: URL): Target | LiveTarget | null => readLiveTarget(url.pathname) ?? readTarget(url);

/** Addresses of playback with any other method. */
export const playbackRoutes = new Hono<{ Bindings: Env }>();

playbackRoutes.use("*", async (c, next) => {
  if (readAnyTarget(new URL(c.req.url)) === null) return next();
  if (c.req.method === "OPTIONS") return preflight();
  const refusal = problemAnswer(new Problem("method_not_allowed", "only GET and HEAD"));
  refusal.headers.set("allow", "GET, HEAD, OPTIONS");
  return refusal;
});

async function answerOrProblem(
  request: Request,
  url: URL,
  target: Target | LiveTarget,
  env: Env,
  ctx: Caller,
): Promise<Response> {
  try {
    return await answerTarget(request, url, target, env, ctx);
  } catch (error) {
    if (error instanceof Problem) return problemAnswer(error);
    console.error({
      message: "Playback failed",
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
  ctx: Caller,
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

/** The manifest that a player begins with: of an asset, or else of a stream. */
async function answerMain(
  request: Request,
  target: Extract<Target, { kind: "multivariant" | "mpd" }>,
  env: Env,
  ctx: Caller,
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
  ctx: Caller,
  query: URLSearchParams,
): Promise<Response> {
  const resolved = await requireResolved(env, ctx, target.playbackId);
  if (resolved.kind !== "asset") throw unknown();
  return await answerManifest(request, resolved.playable, target, query);
}

/** @throws {Problem} playback_not_found */
async function requireResolved(env: Env, ctx: Caller, playbackId: string): Promise<Resolved> {
  const resolved = await resolvePlaybackId(env.DB, ctx, playbackId);
  if (resolved === null) throw unknown();
  return resolved;
}

const unknown = () => new Problem("playback_not_found", "no such playback id");

async function answerSegmentOf(
  request: Request,
  { playbackId, rendition, file }: Extract<Target, { kind: "segment" }>,
  env: Env,
  ctx: Caller,
): Promise<Response> {
  const assetId = await resolveAssetId(env.DB, playbackId);
  if (assetId === null) throw unknown();
  const answer = await fetchSegment(request, ctx, env, { assetId, rendition, file });
  // An answer from another entrypoint has headers that cannot be changed; others on the way out add theirs.
  return new Response(answer.body, answer);
}
