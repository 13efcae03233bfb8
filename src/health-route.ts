import { Hono } from "hono";
import { HealthCache } from "./health.ts";
import type { AppContext } from "./platform/http/router.ts";
import { isLocal, missingSetup } from "./setup.ts";
import { authenticate } from "./tenancy/credentials/credentials.ts";
import { countRequest } from "./tenancy/limits/limit-requests.ts";

/**
 * `GET /healthz`: the status for everyone, the status of each part for authenticated callers. On this machine it also names what is not set
 * up, because nobody has credentials before there are tables.
 *
 * A request with credentials counts as an API request of its workspace. It is not in the request log: monitors send one every few seconds,
 * and would displace the requests that people look for.
 */
export function healthRoute() {
  const health = new HealthCache(Date.now);
  return new Hono<AppContext>().get("/healthz", async (c) => {
    const caller = c.req.header("authorization") === undefined ? null : await authenticate(c);
    if (caller !== null) await countRequest(c.env, caller.workspaceId);
    const isKnown = caller !== null;
    const { status, parts } = await health.read(c.env, isKnown ? "full" : "public");
    const setup = isLocal(c.req.url) ? await missingSetup(c.env) : null;
    const answer = { status, ...(isKnown ? { parts } : {}), ...(setup === null ? {} : { setup }) };
    c.header("cache-control", "no-store");
    return c.json(answer, status === "up" ? 200 : 503);
  });
}
