import type { Env } from "../../platform/env.ts";
import type { NetworkEnv, ResolveLimits } from "../../platform/network/index.ts";
import { RESOLVE_LIMITS } from "../../platform/network/index.ts";

/** What of the environment decides how sources are reached. Any `Env` will do. */
export type SourceEnv = NetworkEnv & Pick<Env, "MAX_SOURCE_BYTES">;

/** How patient a fetch is. Tests pass shorter ones. */
export interface SourceLimits extends ResolveLimits {
  /** From the request to the answer's headers, for each hop of a redirect. */
  headersMs: number;
  /** Between two pieces of a body. */
  idleMs: number;
  maxRedirects: number;
  /** Below this, averaged over one piece of work, a server is too slow; `graceMs` is given on top of what it takes. */
  minBytesPerSecond: number;
  graceMs: number;
  /** For reading a source's index where it lies, all reads together. */
  probeMs: number;
  /** For one part of a copy. */
  partMs: number;
  /** A server may answer less of a range than it was asked for, so many times. */
  maxAnswersPerRange: number;
}

export const SOURCE_LIMITS: SourceLimits = {
  ...RESOLVE_LIMITS,
  headersMs: 10_000,
  idleMs: 15_000,
  maxRedirects: 5,
  minBytesPerSecond: 16 * 1024,
  graceMs: 30_000,
  probeMs: 300_000,
  partMs: 600_000, // an alarm of a Durable Object may run for 15 minutes
  maxAnswersPerRange: 256, // some servers answer 64 KiB at most; a part has 8 MiB or more
};

/** @throws {RangeError} when MAX_SOURCE_BYTES is no positive whole number: a limit must not vanish by a typing error */
export function maxSourceBytes(env: Pick<Env, "MAX_SOURCE_BYTES">): number {
  const bytes = Number(env.MAX_SOURCE_BYTES);
  if (!Number.isSafeInteger(bytes) || bytes <= 0)
    throw new RangeError("MAX_SOURCE_BYTES must be a positive whole number");
  return bytes;
}
