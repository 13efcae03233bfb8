/** Paths of clients whose base URL ends in `/live`, or was replaced as a whole (media contract, differences between SDK generations). */
const ALIASES: readonly (readonly [prefix: string, canonical: string])[] = [
  ["/v1/live/on-demand", "/v1/on-demand"],
  ["/v1/streams", "/v1/live/streams"],
];

/** The request at its canonical path; the request itself when it is there already. */
export function atCanonicalPath(request: Request): Request {
  if (!ALIASES.some(([prefix]) => request.url.includes(prefix))) return request; // the URL is parsed for few requests
  const url = new URL(request.url);
  for (const [prefix, canonical] of ALIASES) {
    if (url.pathname !== prefix && !url.pathname.startsWith(`${prefix}/`)) continue;
    url.pathname = canonical + url.pathname.slice(prefix.length);
    return new Request(url, request);
  }
  return request;
}
