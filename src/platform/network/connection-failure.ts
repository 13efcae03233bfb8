import { isInternalError } from "../runtime-errors.ts";

/** Failures of a request before the server has sent a response. */
export type ConnectionFailure = "connection_failed" | "tls_failed" | "timed_out" | "unresolvable";

/** Statuses that Cloudflare's network returns for an unreachable origin. Elsewhere `fetch` throws instead. */
const NETWORK_STATUSES: Record<number, ConnectionFailure> = {
  521: "connection_failed",
  522: "timed_out",
  523: "connection_failed",
  524: "timed_out",
  525: "tls_failed",
  526: "tls_failed",
  530: "unresolvable",
};

/** The connection failure that a status represents; null when the server itself has responded. */
export function connectionFailureOfStatus(status: number): ConnectionFailure | null {
  return NETWORK_STATUSES[status] ?? null;
}

/**
 * Classifies an exception of `fetch`. The name has been resolved before the request, so with https an internal error is a failed TLS
 * handshake. Otherwise the server refused or closed the connection, or does not answer in HTTP ("Network connection lost.").
 */
export function connectionFailureOf(error: unknown, url: URL): "connection_failed" | "tls_failed" {
  return isInternalError(error) && url.protocol === "https:" ? "tls_failed" : "connection_failed";
}
