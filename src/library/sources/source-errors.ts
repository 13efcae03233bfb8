import type { ConnectionFailure } from "../../platform/network/connection-failure.ts";
import type { NetworkErrorCode } from "../../platform/network/network-error.ts";

/**
 * All failures of fetching a source. An asset whose source cannot be fetched gets one of these codes. `retryable`: a later attempt may
 * succeed.
 */
export const SOURCE_ERRORS = {
  source_forbidden: {
    message: "The source's address is not allowed: only public http and https addresses are fetched.",
    retryable: false,
    fault: "source",
  },
  source_unresolvable: { message: "The source's host name has no address.", retryable: true, fault: "source" },
  source_unreachable: { message: "The source's server could not be connected to.", retryable: true, fault: "source" },
  source_tls_failed: {
    message: "The source's server offers no TLS connection with a valid certificate.",
    retryable: false,
    fault: "source",
  },
  source_timed_out: { message: "The source's server took too long to answer.", retryable: true, fault: "source" },
  source_not_found: { message: "The source's server has no such file.", retryable: false, fault: "source" },
  source_denied: { message: "The source's server refuses access to the file.", retryable: false, fault: "source" },
  source_unavailable: {
    message: "The source's server is temporarily unable to answer.",
    retryable: true,
    fault: "source",
  },
  source_bad_status: { message: "The source's server gave an unexpected answer.", retryable: false, fault: "source" },
  source_too_many_redirects: {
    message: "The source's URL redirects too many times.",
    retryable: false,
    fault: "source",
  },
  source_interrupted: {
    message: "The connection to the source's server broke midway.",
    retryable: true,
    fault: "source",
  },
  source_length_mismatch: {
    message: "The source's server sent another file, or more or less of it, than it had announced.",
    retryable: false,
    fault: "source",
  },
  source_too_large: { message: "The source is larger than the allowed size.", retryable: false, fault: "source" },
  source_empty: { message: "The source is an empty file.", retryable: false, fault: "source" },
} as const satisfies Record<string, { message: string; retryable: boolean; fault: "source" }>;
export type SourceErrorCode = keyof typeof SOURCE_ERRORS;

export const SOURCE_ERROR_OF_HOST: Record<NetworkErrorCode, SourceErrorCode> = {
  forbidden: "source_forbidden",
  unresolvable: "source_unresolvable",
};

export const SOURCE_ERROR_OF_CONNECTION: Record<ConnectionFailure, SourceErrorCode> = {
  connection_failed: "source_unreachable",
  tls_failed: "source_tls_failed",
  timed_out: "source_timed_out",
  unresolvable: "source_unresolvable",
};

/** `message` is shown to the asset's owner and never contains a URL. Private details belong in `cause`, which is only logged. */
export class SourceError extends Error {
  override readonly name = "SourceError";
  readonly code: SourceErrorCode;
  readonly retryable: boolean;
  readonly fault = "source";
  /** The server's `Retry-After`; null when there was none. */
  readonly retryAfterMs: number | null;

  /** @param options.detail appended in brackets, for example the HTTP status */
  constructor(code: SourceErrorCode, options: ErrorOptions & { detail?: string; retryAfterMs?: number | null } = {}) {
    const { message, retryable } = SOURCE_ERRORS[code];
    super(options.detail === undefined ? message : `${message} (${options.detail})`, options);
    this.code = code;
    this.retryable = retryable;
    this.retryAfterMs = options.retryAfterMs ?? null;
  }
}
