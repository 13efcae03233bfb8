import { RESOLVE_LIMITS, type ResolveLimits } from "../../../platform/network/index.ts";

/** One POST to a customer's URL. */
export interface Attempt {
  url: string;
  /** Sent unchanged. */
  body: Uint8Array;
  /** The signatures. Headers that describe the body are added. */
  headers: Record<string, string>;
  limits?: Partial<AttemptLimits>;
}

/** Limits of one attempt. Tests pass shorter ones. */
export interface AttemptLimits extends ResolveLimits {
  /** From connecting to the end of the response headers. */
  headersMs: number;
  /** The whole attempt, including name resolution. */
  totalMs: number;
  /** A longer response body fails the attempt. */
  responseBytes: number;
}

export const ATTEMPT_LIMITS: AttemptLimits = {
  ...RESOLVE_LIMITS,
  headersMs: 10_000,
  totalMs: 15_000,
  responseBytes: 64 * 1024,
};
