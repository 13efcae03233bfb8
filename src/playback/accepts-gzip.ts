/** `gzip` or `*` with a weight above 0 (RFC 9110 §12.5.3). */
export const acceptsGzip = (header: string | null): boolean =>
  (header ?? "").split(",").some((part) => {
    const [coding, ...parameters] = part.split(";").map((text) => text.trim().toLowerCase());
    const weight = parameters.find((text) => text.startsWith("q="));
    return (coding === "gzip" || coding === "*") && (weight === undefined || Number(weight.slice(2)) > 0);
  });

export const wantsGzip = (request: Request): boolean => acceptsGzip(codingsOf(request));

/** What the client takes: the header itself is Cloudflare's own, which always names gzip. */
function codingsOf(request: Request): string | null {
  const told: unknown = request.cf?.["clientAcceptEncoding"];
  return typeof told === "string" ? told : request.headers.get("accept-encoding");
}
