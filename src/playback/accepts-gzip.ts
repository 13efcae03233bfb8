import { parseAccept } from "hono/utils/accept";

/** `gzip` or `*` with a weight above 0 (RFC 9110 §12.5.3). */
export const acceptsGzip = (header: string | null): boolean =>
  parseAccept(header ?? "").some(({ type, q }) => q > 0 && ["gzip", "*"].includes(type.toLowerCase()));

export const wantsGzip = (request: Request): boolean => acceptsGzip(codingsOf(request));

/** What the client takes: the header itself is Cloudflare's own, which always names gzip. */
function codingsOf(request: Request): string | null {
  const told: unknown = request.cf?.["clientAcceptEncoding"];
  return typeof told === "string" ? told : request.headers.get("accept-encoding");
}
