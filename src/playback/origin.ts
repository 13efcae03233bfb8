import { WorkerEntrypoint } from "cloudflare:workers";
import type { Env } from "../platform/env.ts";
import { errorFields, logError } from "../platform/log.ts";
import { Problem } from "../platform/http/problems.ts";
import type { Lasting } from "../platform/single-flight.ts";
import { problemAnswer } from "./headers.ts";
import { type LiveAddress, liveAddressPath, readLiveAddress } from "./live-address.ts";
import { answerLiveAddress } from "./live-inner.ts";
import { answerEncryptedSegment } from "./encrypted-segments.ts";
import type { SegmentFile } from "./paths.ts";
import { answerStoredImage } from "./stored-image.ts";
import { answerSegment, fileName, type SegmentAddress } from "./segments.ts";
import { entrypoint } from "../platform/entrypoint.ts";

/** Request headers that select bytes. Only these are forwarded to the inner entrypoint. */
const SELECTING = ["range", "if-none-match", "if-range"];

/** A segment as viewers get it: encrypted with a key, or clear. */
export type OfferedSegment = SegmentAddress & { keyId: string | null };

/**
 * The inner entrypoint: segments of assets, and playlists, MPDs and media of live sessions. The caller has authorized the viewer, and
 * URLs are canonical, so a cache in front may store and share every response.
 */
export class PlaybackOrigin extends WorkerEntrypoint<Env> {
  override fetch(request: Request): Promise<Response> {
    const url = new URL(request.url);
    const live = readLiveAddress(url);
    if (live !== null) return orProblem(answerLiveAddress(this.env, this.ctx, live), live);
    const [, assetId, rendition, file, keyId] = url.pathname.split("/");
    if (assetId === "image")
      return orProblem(answerStoredImage(request, this.env, rendition!, file!), { image: file! });
    const address = {
      assetId: assetId!,
      rendition: rendition!,
      file: file!.endsWith(".mp4") ? (file!.slice(0, -".mp4".length) as SegmentFile) : Number.parseInt(file!, 10),
      keyId: keyId ?? null,
    };
    return orProblem(answerOffered(request, this.env, this.ctx, address), address);
  }
}

const answerOffered = (request: Request, env: Env, ctx: Lasting, { keyId, ...address }: OfferedSegment) =>
  keyId === null
    ? answerSegment(request, env, address)
    : answerEncryptedSegment(request, env, ctx, { ...address, keyId });

/** The context of a request. `exports` holds the Worker's own entrypoints. */
export interface RequestContext {
  exports?: unknown;
  waitUntil(work: Promise<unknown>): void;
}

/** Fetches a live resource through the inner entrypoint, whose cache collapses simultaneous requests. */
export function fetchLive(ctx: RequestContext, env: Env, address: LiveAddress): Promise<Response> {
  const origin = entrypoint(ctx.exports, "PlaybackOrigin");
  if (origin === undefined) return orProblem(answerLiveAddress(env, ctx, address), address);
  return origin.fetch(`https://playback-origin/${liveAddressPath(address)}`);
}

/** Fetches a segment through the inner entrypoint, or directly where the Worker has none. */
export function fetchSegment(
  request: Request,
  ctx: RequestContext,
  env: Env,
  address: OfferedSegment,
): Promise<Response> {
  const origin = entrypoint(ctx.exports, "PlaybackOrigin");
  if (origin === undefined) return orProblem(answerOffered(request, env, ctx, address), address);
  const { assetId, rendition, file, keyId } = address;
  const headers = new Headers();
  for (const name of SELECTING) {
    const value = request.headers.get(name);
    const selects = keyId === null || name === "if-none-match"; // encrypted segments have no ranges
    if (value !== null && selects) headers.set(name, value);
  }
  const path = `${assetId}/${rendition}/${fileName(file)}${keyId === null ? "" : `/${keyId}`}`;
  return origin.fetch(`https://playback-origin/${path}`, { method: request.method, headers });
}

/** Fetches a picture that has been made, through the inner entrypoint; 404 = it has not. */
export function fetchImage(
  request: Request,
  ctx: RequestContext,
  env: Env,
  assetId: string,
  name: string,
): Promise<Response> {
  const origin = entrypoint(ctx.exports, "PlaybackOrigin");
  if (origin === undefined) return orProblem(answerStoredImage(request, env, assetId, name), { image: name });
  const headers = new Headers();
  const known = request.headers.get("if-none-match");
  if (known !== null) headers.set("if-none-match", known);
  return origin.fetch(`https://playback-origin/image/${assetId}/${name}`, { method: request.method, headers });
}

/** Turns problems into responses: an exception would lose its code between entrypoints. */
async function orProblem(
  answer: Promise<Response>,
  address: LiveAddress | SegmentAddress | { image: string },
): Promise<Response> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof Problem) return problemAnswer(error);
    logError("playback.segment_not_read", { ...address, ...errorFields(error) });
    return problemAnswer(new Problem("unavailable", "the source cannot be read at the moment"));
  }
}
