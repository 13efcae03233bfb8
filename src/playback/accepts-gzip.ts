/** `gzip` or `*` with a weight above 0 (RFC 9110 §12.5.3). */
export function acceptsGzip(header: string | null): boolean {
  return (header ?? "").split(",").some((part) => {
    const [coding, ...parameters] = part.split(";").map((text) => text.trim().toLowerCase());
    const weight = parameters.find((text) => text.startsWith("q="));
    return (coding === "gzip" || coding === "*") && (weight === undefined || Number(weight.slice(2)) > 0);
  });
}
