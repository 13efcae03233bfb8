/** How a request can end before anything of the server's own answer is there. */
export type ConnectionFailure = "connection_failed" | "tls_failed" | "timed_out" | "unresolvable";

/** Cloudflare's network answers these for an origin that it could not reach; elsewhere a fetch throws instead. */
const NETWORK_STATUSES: Record<number, ConnectionFailure> = {
  521: "connection_failed",
  522: "timed_out",
  523: "connection_failed",
  524: "timed_out",
  525: "tls_failed",
  526: "tls_failed",
  530: "unresolvable",
};

/** What a status says about the way to the server; null when the server itself has answered. */
export function connectionFailureOfStatus(status: number): ConnectionFailure | null {
  return NETWORK_STATUSES[status] ?? null;
}

/**
 * What a thrown `fetch` means. workerd says "Network connection lost." when a server refuses, hangs up or talks no HTTP,
 * and an "internal error" when the TLS handshake or the look-up of the name fails or its network forbids the address.
 * The name has been looked up before the request, so with https the last leaves the handshake.
 */
export function connectionFailureOf(error: unknown, url: URL): "connection_failed" | "tls_failed" {
  const isInternal = error instanceof Error && error.message.startsWith("internal error");
  return isInternal && url.protocol === "https:" ? "tls_failed" : "connection_failed";
}
