import { createMiddleware } from "hono/factory";
import type { Env } from "../../platform/env.ts";
import { Problem } from "../../platform/http/problems.ts";
import type { AppContext } from "../../platform/http/router.ts";

/** The limit of `API_REQUESTS` in wrangler.toml, which the binding does not tell. */
export const REQUESTS_PER_MINUTE = 6000;
const PERIOD_SECONDS = 60;

/** Counts the API requests of callers. Requires the caller. @throws {Problem} too_many_requests */
export const limitRequests = createMiddleware<AppContext>(async (c, next) => {
  await countRequest(c.env, c.var.caller.workspaceId);
  await next();
});

/**
 * Counts a request of a workspace with the platform's rate limiter, which counts in each of Cloudflare's locations.
 *
 * @throws {Problem} too_many_requests
 */
export async function countRequest(env: Env, workspaceId: string): Promise<void> {
  const { success } = await env.API_REQUESTS.limit({ key: workspaceId });
  if (!success)
    throw new Problem("too_many_requests", `a workspace may send ${REQUESTS_PER_MINUTE} API requests a minute`, {
      retryAfterSeconds: PERIOD_SECONDS,
    });
}
