import type { Env } from "../env.ts";
import type { NetworkEnv, ResolveLimits } from "../network/index.ts";
import { RESOLVE_LIMITS } from "../network/index.ts";

/** What of the environment decides how sources are reached. Any `Env` will do. */
export type SourceEnv = NetworkEnv & Pick<Env, "MAX_SOURCE_BYTES">;

/** How patient a fetch is. Tests pass shorter ones. */
export interface SourceLimits extends ResolveLimits {
  /** From the request to the answer's headers, for each hop of a redirect. */
  headersMs: number;
  /** Between two pieces of a body. */
  idleMs: number;
  maxRedirects: number;
}

export const SOURCE_LIMITS: SourceLimits = {
  ...RESOLVE_LIMITS,
  headersMs: 10_000,
  idleMs: 15_000,
  maxRedirects: 5,
};

/** @throws {RangeError} when MAX_SOURCE_BYTES is no positive whole number: a limit must not vanish by a typing error */
export function maxSourceBytes(env: Pick<Env, "MAX_SOURCE_BYTES">): number {
  const bytes = Number(env.MAX_SOURCE_BYTES);
  if (!Number.isSafeInteger(bytes) || bytes <= 0)
    throw new RangeError("MAX_SOURCE_BYTES must be a positive whole number");
  return bytes;
}
