import { PROBLEMS, type Problem, problemBody } from "../platform/http/problems.ts";

/** What data SDKs read from answers (contract/analytics.md, "request headers taken"), and what players need. */
const EXPOSED =
  "Accept-Ranges, Age, Cache-Control, CF-Cache-Status, CF-Ray, Content-Encoding, Content-Length, Content-Range, Content-Type, Date, ETag, Last-Modified, Server, Server-Timing, X-Akamai-Request-Id, X-Amz-Cf-Id, X-CDN, X-Request-Id";

/** Any page may play: access is decided by the address, never by cookies. */
export const CORS: Record<string, string> = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers": EXPOSED,
  "timing-allow-origin": "*",
  "cross-origin-resource-policy": "cross-origin",
};

export const preflight = () =>
  new Response(null, {
    status: 204,
    headers: {
      ...CORS,
      "access-control-allow-methods": "GET, HEAD, OPTIONS",
      "access-control-allow-headers": "Range, If-None-Match, If-Range, If-Modified-Since, Content-Type, Authorization",
      "access-control-max-age": "86400",
      "cache-control": "public, max-age=86400",
    },
  });

/** The contract's envelope. Not cached, as what is missing now may be there in a second; clients that poll for more get at most that. */
export function problemAnswer(problem: Problem): Response {
  const retryAfterSeconds = problem.retryAfterSeconds ?? (problem.code === "not_ready" ? 1 : null);
  const retryAfter: Record<string, string> =
    retryAfterSeconds === null ? {} : { "retry-after": `${retryAfterSeconds}` };
  return Response.json(problemBody(problem), {
    status: PROBLEMS[problem.code].status,
    headers: {
      ...CORS,
      "cache-control": problem.code === "broadcast_over" ? "public, max-age=1" : "no-store",
      ...retryAfter,
    },
  });
}
