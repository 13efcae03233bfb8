import type { Env } from "../../platform/env.ts";
import type { NetworkEnv, ResolveLimits } from "../../platform/network/index.ts";
import { RESOLVE_LIMITS } from "../../platform/network/index.ts";

/** The part of `Env` that decides how sources are reached. */
export type SourceEnv = NetworkEnv & Pick<Env, "MAX_SOURCE_BYTES">;

/** Timeouts and limits of a fetch. Tests pass smaller ones. */
export interface SourceLimits extends ResolveLimits {
  /** From the request to the response headers, for each redirect hop. */
  headersMs: number;
  /** Between two pieces of a body. */
  idleMs: number;
  maxRedirects: number;
  /** Minimum average throughput over one operation; `graceMs` is added to the time it allows. */
  minBytesPerSecond: number;
  graceMs: number;
  /** For reading a source's index from its server, all reads together. */
  probeMs: number;
  /** For one part of a copy. */
  partMs: number;
  /** Most responses for one range, because a server may send less of it than requested. */
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
  maxAnswersPerRange: 256, // some servers send at most 64 KiB per response; a part has 8 MiB or more
};

/** @throws {RangeError} when MAX_SOURCE_BYTES is not a positive integer: a typing error must not disable the limit */
export function maxSourceBytes(env: Pick<Env, "MAX_SOURCE_BYTES">): number {
  const bytes = Number(env.MAX_SOURCE_BYTES);
  if (!Number.isSafeInteger(bytes) || bytes <= 0)
    throw new RangeError("MAX_SOURCE_BYTES must be a positive whole number");
  return bytes;
}
