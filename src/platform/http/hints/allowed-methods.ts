import type { Hono } from "hono";

/** An application of any context. */
type App = Pick<Hono, "router">;

const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
/** The method under which Hono registers middleware. */
const ANY_METHOD = "ALL";

/** What is wrong with a request with a method that its path does not have, and the headers of the answer; null when the path has this method, or none at all. */
export function refusedMethod({ router }: App, { method, path }: { method: string; path: string }) {
  const allowed = methodsOf(router, path);
  if (allowed.length === 0 || allowed.includes(method)) return null;
  const allow = allowed.join(", ");
  return { detail: `this path accepts ${allow}`, headers: { allow } };
}

/** What a request for an unknown path should have asked for, to be added to its error. */
export function pathHint({ router }: App, path: string): string {
  if (path.includes("//")) return "; a part of the path is empty, perhaps an id that was not filled in";
  const trimmed = path.replace(/\/+$/, "");
  return trimmed !== path && methodsOf(router, trimmed).length > 0
    ? `; did you mean ${trimmed} without the slash?`
    : "; /v1/reference lists them all";
}

const methodsOf = (router: App["router"], path: string): string[] =>
  METHODS.filter((one) =>
    router.match(one === "HEAD" ? "GET" : one, path)[0].some(([[, route]]) => route.method !== ANY_METHOD),
  );
