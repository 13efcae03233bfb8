/** CORS of upload URLs: scripts of the upload's origin may send its file and read the answers. Pure. */
const METHODS = "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS";
const HEADERS =
  "authorization, content-type, content-range, x-goog-resumable, x-client-type, x-requested-with, tus-resumable, upload-offset, upload-length, upload-metadata, upload-defer-length, upload-checksum, upload-concat, x-http-method-override, x-request-id";
/** Without `Range` exposed, published web clients behave as if it were absent (media contract, resumable uploads). */
const EXPOSED =
  "Location, Range, Retry-After, Tus-Resumable, Tus-Version, Tus-Extension, Tus-Max-Size, Tus-Checksum-Algorithm, Upload-Offset, Upload-Length, Upload-Defer-Length, Upload-Expires, Upload-Metadata";
const PREFLIGHT_KEPT_S = 3600;

/** @param corsOrigin of the upload: `*`, or one origin */
export const corsHeaders = (corsOrigin: string): Record<string, string> => ({
  "Access-Control-Allow-Origin": corsOrigin,
  "Access-Control-Expose-Headers": EXPOSED,
  ...(corsOrigin === "*" ? {} : { Vary: "Origin" }),
});

export const preflightHeaders = (corsOrigin: string): Record<string, string> => ({
  ...corsHeaders(corsOrigin),
  "Access-Control-Allow-Methods": METHODS,
  "Access-Control-Allow-Headers": HEADERS,
  "Access-Control-Max-Age": String(PREFLIGHT_KEPT_S),
});
