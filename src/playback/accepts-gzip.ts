import { parseAccept } from "hono/utils/accept";

/** `gzip` or `*` with a weight above 0 (RFC 9110 §12.5.3). */
export const acceptsGzip = (header: string | null): boolean =>
  parseAccept(header ?? "").some(({ type, q }) => q > 0 && ["gzip", "*"].includes(type.toLowerCase()));

export const wantsGzip = (request: Request): boolean => acceptsGzip(codingsOf(request));

/** The client's own Accept-Encoding: Cloudflare replaces the header by its own, which always contains gzip. */
function codingsOf(request: Request): string | null {
  const original: unknown = request.cf?.["clientAcceptEncoding"];
  return typeof original === "string" ? original : request.headers.get("accept-encoding");
}
