/** The host and the domain of a source, for players that state neither. Pure. */

/** The host name in a URL; null = the text is no URL, such as "MSE style URL", or has no host. */
export function hostOf(address: string | null): string | null {
  if (address === null || !URL.canParse(address)) return null;
  return new URL(address).hostname || null;
}

/** Labels below a country's, under which everybody registers a domain: `example.co.uk`. */
const SHARED_LABELS = new Set(["ac", "co", "com", "edu", "gov", "net", "org"]);

/**
 * The registrable domain of a host: its last two labels, or three below a label such as `co.uk`. Other public suffixes of several labels are not
 * known. An address is its own domain.
 */
export function domainOf(host: string): string {
  const labels = host.split(".");
  const [top = "", second = ""] = labels.toReversed();
  if (host.startsWith("[") || /^\d+$/.test(top)) return host; // IPv6, IPv4
  return labels.slice(top.length === 2 && SHARED_LABELS.has(second) ? -3 : -2).join(".");
}
