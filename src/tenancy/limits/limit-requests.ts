import { createMiddleware } from "hono/factory";
import { Problem } from "../../platform/http/problems.ts";
import type { AppContext } from "../../platform/http/router.ts";

/** The limit of `API_REQUESTS` in wrangler.toml, which the binding does not tell. */
export const REQUESTS_PER_MINUTE = 6000;
const PERIOD_SECONDS = 60;

/**
 * Counts the API requests of a workspace with the platform's rate limiter, which counts in each of Cloudflare's locations. Requires the caller.
 *
 * @throws {Problem} too_many_requests
 */
export const limitRequests = createMiddleware<AppContext>(async (c, next) => {
  const { success } = await c.env.API_REQUESTS.limit({ key: c.var.caller.workspaceId });
  if (!success)
    throw new Problem("too_many_requests", `a workspace may send ${REQUESTS_PER_MINUTE} API requests a minute`, {
      retryAfterSeconds: PERIOD_SECONDS,
    });
  await next();
});
