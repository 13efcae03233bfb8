import type { Env } from "../env.ts";

/** What of the environment decides how sources are reached. Any `Env` will do. */
export type SourceEnv = Pick<Env, "ALLOW_PRIVATE_NETWORK" | "MAX_SOURCE_BYTES" | "SOURCE_NETWORK" | "RESOLVER">;

/** How patient a fetch is. Tests pass shorter ones. */
export interface SourceLimits {
  /** From the request to the answer's headers, for each hop of a redirect. */
  headersMs: number;
  /** Between two pieces of a body. */
  idleMs: number;
  maxRedirects: number;
  /** DNS-over-HTTPS in JSON, used where `env.RESOLVER` is absent. */
  dnsUrl: string;
}

export const SOURCE_LIMITS: SourceLimits = {
  headersMs: 10_000,
  idleMs: 15_000,
  maxRedirects: 5,
  dnsUrl: "https://cloudflare-dns.com/dns-query",
};

export const allowsPrivateNetwork = (env: Pick<Env, "ALLOW_PRIVATE_NETWORK">) => env.ALLOW_PRIVATE_NETWORK === "true";

/** @throws {RangeError} when MAX_SOURCE_BYTES is no positive whole number: a limit must not vanish by a typing error */
export function maxSourceBytes(env: Pick<Env, "MAX_SOURCE_BYTES">): number {
  const bytes = Number(env.MAX_SOURCE_BYTES);
  if (!Number.isSafeInteger(bytes) || bytes <= 0)
    throw new RangeError("MAX_SOURCE_BYTES must be a positive whole number");
  return bytes;
}
