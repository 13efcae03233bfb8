import { CORS } from "../platform/http/media-headers.ts";
import { type Problem, problemResponse } from "../platform/http/problems.ts";

export { CORS, preflight } from "../platform/http/media-headers.ts";

/** A problem response for players. Only `broadcast_over` is cached, for 1 s, because all players of the broadcast poll at the same time. */
export const problemAnswer = (problem: Problem, headers: Record<string, string> = {}): Response =>
  problemResponse(problem, {
    ...CORS,
    ...(problem.code === "broadcast_over" ? { "cache-control": "public, max-age=1", vary: "Accept" } : {}),
    ...headers,
  });
