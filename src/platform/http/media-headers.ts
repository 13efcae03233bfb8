/** Response headers read by the data SDKs (media contract, "request headers taken") and by players. */
const EXPOSED =
  "Accept-Ranges, Age, Cache-Control, CF-Cache-Status, CF-Ray, Content-Encoding, Content-Length, Content-Range, Content-Type, Date, ETag, Last-Modified, Server, Server-Timing, X-Akamai-Request-Id, X-Amz-Cf-Id, X-CDN, X-Request-Id";

/** Any origin may play: access depends on the URL, never on cookies. */
export const CORS: Record<string, string> = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers": EXPOSED,
  "timing-allow-origin": "*",
  "cross-origin-resource-policy": "cross-origin",
};

export const preflight = () =>
  new Response(null, {
    status: 204,
    headers: {
      ...CORS,
      "access-control-allow-methods": "GET, HEAD, OPTIONS",
      "access-control-allow-headers": "Range, If-None-Match, If-Range, If-Modified-Since, Content-Type, Authorization",
      "access-control-max-age": "86400",
      "cache-control": "public, max-age=86400",
    },
  });
