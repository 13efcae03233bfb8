import type { Env } from "../platform/env.ts";
import { isUnchanged } from "../platform/http/conditions.ts";
import { Problem } from "../platform/http/problems.ts";
import { imageKey } from "../platform/storage/keys.ts";
import { CORS } from "./headers.ts";

export const IMMUTABLE = "public, max-age=31536000, immutable";

/** A picture that has been made. Its name says everything about it, so it never changes. @throws {Problem} playback_not_found */
export async function answerStoredImage(request: Request, env: Env, assetId: string, name: string): Promise<Response> {
  const object = await env.MEDIA.get(imageKey(assetId, name));
  if (object === null) throw new Problem("playback_not_found", "this picture has not been made");
  const headers = { ...CORS, "cache-control": IMMUTABLE, etag: object.httpEtag };
  const isKnown = isUnchanged(request, object.httpEtag);
  if (isKnown || request.method === "HEAD") await object.body.cancel();
  if (isKnown) return new Response(null, { status: 304, headers });
  const all = {
    ...headers,
    "content-type": object.httpMetadata?.contentType ?? "application/octet-stream",
    "content-length": String(object.size),
  };
  return new Response(request.method === "HEAD" ? null : object.body, { headers: all });
}
