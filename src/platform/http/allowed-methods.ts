import type { Hono } from "hono";
import type { AppContext } from "./router.ts";

const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"];
/** The method under which Hono registers middleware. */
const ANY_METHOD = "ALL";

/** The value of `Allow` for a request with a method that its path does not have; null when the path has this method, or none at all. */
export function allowedInstead({ router }: Hono<AppContext>, { method, path }: { method: string; path: string }) {
  const allowed = methodsOf(router, path);
  return allowed.length === 0 || allowed.includes(method) ? null : allowed.join(", ");
}

/** What a request for an unknown path should have asked for, to be added to its error; "" when that is unknown. */
export function pathHint({ router }: Hono<AppContext>, path: string): string {
  const trimmed = path.replace(/\/+$/, "");
  return trimmed !== path && methodsOf(router, trimmed).length > 0
    ? `; did you mean ${trimmed} without the slash?`
    : "";
}

const methodsOf = (router: Hono<AppContext>["router"], path: string): string[] =>
  METHODS.filter((one) =>
    router.match(one === "HEAD" ? "GET" : one, path)[0].some(([[, route]]) => route.method !== ANY_METHOD),
  );
