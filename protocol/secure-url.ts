/** Whether secrets may travel to this address: over TLS, or without leaving the machine. False for what is no URL. */
export function isSecureUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname } = new URL(text);
  return protocol === "https:" || (protocol === "http:" && isLoopback(hostname));
}

/** A hostname as `URL` writes it. */
export const isLoopback = (hostname: string): boolean =>
  hostname === "localhost" || hostname === "[::1]" || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(hostname);
