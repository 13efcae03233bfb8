import type { Hono } from "hono";
import type { AppContext } from "./router.ts";

const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"];
/** The method under which Hono registers middleware. */
const ANY_METHOD = "ALL";

/** The value of `Allow` for a request with a method that its path does not have; null when the path has this method, or none at all. */
export function allowedInstead({ router }: Hono<AppContext>, { method, path }: { method: string; path: string }) {
  const hasRoute = (one: string): boolean =>
    router.match(one === "HEAD" ? "GET" : one, path)[0].some(([[, route]]) => route.method !== ANY_METHOD);
  const allowed = METHODS.filter(hasRoute);
  return allowed.length === 0 || allowed.includes(method) ? null : allowed.join(", ");
}
