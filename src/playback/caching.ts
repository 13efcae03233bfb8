import type { Permission } from "./permission.ts";

/** Longest time for which a shared cache answers for a private playback ID, or a permission that is over soon, without asking again. */
const SHARED_SECONDS = 5;
/** The same for the viewer's own cache. */
const OWN_SECONDS = 3600;

/**
 * Limits the caching of an answer to what its permission allows. Public playback without restrictions is unchanged. At an address with a permit,
 * which names no viewer, shared caches keep an answer for seconds, as they do of a public broadcast whose recording not everybody may play. What depends on a token or on headers is for the viewer's own cache only.
 */
export function limitCaching(answer: Response, { authority, dependsOn, isOfUrl, isBrief }: Permission): void {
  if (authority === null && isOfUrl && !isBrief) return;
  const { headers } = answer;
  for (const name of dependsOn) headers.append("vary", name);
  const value = headers.get("cache-control") ?? "";
  const [, age] = /^public, max-age=(\d+)/.exec(value) ?? [];
  if (age === undefined) return;
  const own = `max-age=${Math.min(Number(age), OWN_SECONDS)}`;
  // An answer to a token is for its viewer: shared caches would keep a copy for each token.
  const isShared = isOfUrl && authority?.by !== "token";
  const lifetime = isShared ? `public, ${own}, s-maxage=${Math.min(Number(age), SHARED_SECONDS)}` : `private, ${own}`;
  headers.set("cache-control", value.endsWith("must-revalidate") ? `${lifetime}, must-revalidate` : lifetime);
}
