import { chaptersJson, chaptersVtt } from "../media/chapters/chapter-files.ts";
import type { Env } from "../platform/env.ts";
import type { Lasting } from "../platform/single-flight.ts";
import { CORS } from "./headers.ts";
import { type Resolved, resolveOffering } from "./resolve.ts";
import { unknownPlayback } from "./unknown-playback.ts";
import type { Viewer } from "./viewer.ts";

/** They may be made again. */
const CACHING = "public, max-age=60";

const offersChapters = (resolved: Resolved): boolean =>
  resolved.kind === "asset" && resolved.playable.chapters.length > 0;

/**
 * The chapters of a media, as WebVTT and as the JSON of HLS.
 *
 * @throws {Problem} playback_not_found, and those of `Viewer.admit`
 */
export async function answerChapters(
  viewer: Viewer,
  env: Env,
  ctx: Lasting,
  { playbackId, as }: { playbackId: string; as: "vtt" | "json" },
): Promise<Response> {
  const resolved = await resolveOffering(env.DB, ctx, playbackId, offersChapters);
  if (resolved === null) throw unknownPlayback();
  await viewer.admit(resolved.rules);
  if (resolved.kind !== "asset" || !offersChapters(resolved)) throw unknownPlayback();
  const { chapters } = resolved.playable;
  const body = as === "vtt" ? chaptersVtt(chapters) : JSON.stringify(chaptersJson(chapters, "und"));
  const headers = {
    ...CORS,
    "content-type": as === "vtt" ? "text/vtt; charset=utf-8" : "application/json",
    "x-content-type-options": "nosniff",
    "cache-control": CACHING,
  };
  return new Response(viewer.request.method === "HEAD" ? null : body, { headers });
}
