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
import { Recent } from "./recent.ts";
import { findAssetId } from "./repository.ts";

/**
 * Playback on any host: manifests, segments and the hosted page. Everything else goes on to the next route. This is the
 * outer of two entrypoints: it decides who may have what and renders manifests, which depend on the asset's state;
 * segments, which never change, come from `PlaybackOrigin`.
 */
export const playbackRoutes = new Hono<{ Bindings: Env }>();

playbackRoutes.use("*", async (c, next) => {
  const url = new URL(c.req.url);
  const target = readLiveTarget(url.pathname) ?? readTarget(url);
  if (target === null) return next();
  const { method } = c.req;
  if (method === "OPTIONS") return preflight();
  if (method !== "GET" && method !== "HEAD") {
    const refusal = problemAnswer(new Problem("method_not_allowed", "only GET and HEAD"));
    refusal.headers.set("allow", "GET, HEAD, OPTIONS");
    return refusal;
  }
  try {
    return await answerTarget(c.req.raw, url, target, c.env, c.executionCtx);
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
});

async function answerTarget(
  request: Request,
  url: URL,
  target: Target | LiveTarget,
  env: Env,
  ctx: Caller,
): Promise<Response> {
  if (target.kind === "multivariant" || target.kind === "mpd") {
    const clip = await answerClip(request, env, ctx, target);
    if (clip !== null) return clip;
  }
  switch (target.kind) {
    case "nothing":
      throw new Problem("playback_not_found", "no such playback id");
    case "page":
      return answerPage(request, env, target.playbackId);
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
      return answerManifest(request, env.DB, target, url.searchParams);
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
  try {
    return await answerManifest(request, env.DB, target, query);
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== "playback_not_found") throw error;
    const live = await answerLiveManifest(request, env, ctx, target, query);
    if (live === null) throw error;
    return live;
  }
}

/** How long an isolate remembers that a playback id is good; see `forgetPlayback` for the asset's end. */
const KNOWN_MS = 1000;
const assetIds = new Recent<string>(512);

/** Ends the memory of a playback id in this isolate. */
export const forgetAssetId = (playbackId: string) => assetIds.delete(playbackId);

async function answerSegmentOf(
  request: Request,
  { playbackId, rendition, file }: Extract<Target, { kind: "segment" }>,
  env: Env,
  ctx: Caller,
): Promise<Response> {
  let assetId = assetIds.get(playbackId, Date.now()) ?? null;
  if (assetId === null) {
    assetId = await findAssetId(env.DB, playbackId);
    if (assetId === null) throw new Problem("playback_not_found", "no such playback id");
    assetIds.set(playbackId, assetId, Date.now() + KNOWN_MS);
  }
  const answer = await fetchSegment(request, ctx, env, { assetId, rendition, file });
  // An answer from another entrypoint has headers that cannot be changed; others on the way out add theirs.
  return new Response(answer.body, answer);
}
