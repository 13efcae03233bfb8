import type { MiddlewareHandler } from "hono";

/** Forbids caches to store answers of the API, which may contain stream keys and signed URLs. An answer's own `Cache-Control` stays. */
export const keepPrivate: MiddlewareHandler = async (c, next) => {
  await next();
  if (!c.res.headers.has("cache-control")) c.res.headers.set("cache-control", "no-store");
};
