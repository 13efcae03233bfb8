import { type ImageAnswer, imageMaker, type ImageOrder } from "../library/images/index.ts";
import type { Env } from "../platform/env.ts";
import { Problem } from "../platform/http/problems.ts";
import { CORS } from "./headers.ts";
import { fetchImage, type RequestContext } from "./origin.ts";
import { IMMUTABLE } from "./stored-image.ts";

/** The picture at an address may be another one soon. */
const CHANGING = "public, max-age=5";
const NEAREST = "public, max-age=10";

/**
 * Answers with a picture: the stored one, or a new one.
 *
 * @param isFinal whether the address always means this picture
 * @throws {Problem} playback_not_found, too_many_requests, unavailable
 */
export async function deliverImage(
  request: Request,
  env: Env,
  ctx: RequestContext,
  order: ImageOrder,
  isFinal: boolean,
): Promise<Response> {
  const stored = await fetchImage(request, ctx, env, order.assetId, order.name);
  if (stored.status !== 404) {
    // The headers of another entrypoint's response are immutable.
    const answer = new Response(stored.body, stored);
    if (!isFinal) answer.headers.set("cache-control", CHANGING);
    return answer;
  }
  await stored.body?.cancel();
  return imageResponse(request, await imageMaker(env, order.assetId).make(order), isFinal ? IMMUTABLE : CHANGING);
}

/** @throws {Problem} playback_not_found, too_many_requests, unavailable */
export function imageResponse(request: Request, answer: ImageAnswer, caching: string): Response {
  switch (answer.kind) {
    case "unreadable":
      throw new Problem("playback_not_found", "no picture can be made of this part of the media");
    case "unavailable":
      throw new Problem("unavailable", "no picture can be made at the moment");
    case "too many":
      throw new Problem("too_many_requests", "too many new pictures in a minute", {
        retryAfterSeconds: answer.retryAfterSeconds,
      });
    case "made":
    case "nearest": {
      const headers = {
        ...CORS,
        "content-type": answer.type,
        "content-length": String(answer.bytes.byteLength),
        "cache-control": answer.kind === "nearest" ? NEAREST : caching,
      };
      return new Response(request.method === "HEAD" ? null : answer.bytes, { headers });
    }
  }
}
