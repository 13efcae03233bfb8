import { Hono } from "hono";
import { HealthCache } from "./health.ts";
import type { AppContext } from "./platform/http/router.ts";
import { authenticate } from "./tenancy/credentials/credentials.ts";

/** `GET /healthz`: the status for everyone, the status of each part for authenticated callers. */
export function healthRoute() {
  const health = new HealthCache(Date.now);
  return new Hono<AppContext>().get("/healthz", async (c) => {
    const isKnown = c.req.header("authorization") !== undefined && (await authenticate(c)) !== null;
    const { status, parts } = await health.read(c.env, isKnown ? "full" : "public");
    c.header("cache-control", "no-store");
    return c.json(isKnown ? { status, parts } : { status }, status === "up" ? 200 : 503);
  });
}
