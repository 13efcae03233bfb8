/** The host and the domain of a source, for players that state neither. Pure. */

/** The host name in a URL; null = the text is no URL, such as "MSE style URL", or has no host. */
export function hostOf(address: string | null): string | null {
  if (address === null || !URL.canParse(address)) return null;
  return new URL(address).hostname || null;
}

/** The domain of a host: its last two labels, as data SDKs of the web compute it. An address is its own domain. */
export function domainOf(host: string): string {
  const labels = host.split(".");
  const isAddress = host.startsWith("[") || /^\d+$/.test(labels.at(-1) ?? "");
  return isAddress ? host : labels.slice(-2).join(".");
}
