import { parseAccept } from "hono/utils/accept";

/** `gzip` or `*` with a weight above 0 (RFC 9110 §12.5.3). */
export const acceptsGzip = (header: string | null): boolean =>
  parseAccept(header ?? "").some(({ type, q }) => q > 0 && ["gzip", "*"].includes(type.toLowerCase()));

/**
 * Whether the client accepts gzip. Cloudflare replaces the header by its own, which always contains gzip, and keeps the client's in
 * `request.cf`. Without the header nothing needs to be read from `cf`, whose first reading parses it.
 */
export function wantsGzip(request: Request): boolean {
  const header = request.headers.get("accept-encoding");
  if (header === null) return false;
  const original: unknown = request.cf?.["clientAcceptEncoding"];
  return acceptsGzip(typeof original === "string" ? original : header);
}
