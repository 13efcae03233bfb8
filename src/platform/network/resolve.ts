import { addressLiteral, isPublicAddress } from "./addresses.ts";
import type { NetworkEnv } from "./network-env.ts";
import { allowsPrivateNetwork } from "./network-env.ts";
import { NetworkError } from "./network-error.ts";
import { isForbiddenHost } from "./public-url.ts";
import { TtlCache } from "../ttl-cache.ts";

export interface ResolveLimits {
  /** Timeout of each look-up, unless a signal limits it. */
  resolveMs: number;
  /** DNS over HTTPS in JSON, used without `env.RESOLVER`. */
  dnsUrl: string;
}

export const RESOLVE_LIMITS: ResolveLimits = {
  resolveMs: 10_000,
  dnsUrl: "https://cloudflare-dns.com/dns-query",
};

/** How long a guard caches a permitted host, so that a copy of thousands of parts causes few look-ups. */
const VERDICT_MS = 30_000;
/** Redirects of one source rarely lead to more hosts. */
const MAX_VERDICTS = 256;

/** Checks whether a host may be contacted, and caches the result for `VERDICT_MS`. */
export interface HostGuard {
  /** @throws {NetworkError} */
  check(hostname: string): Promise<void>;
}

export function createHostGuard(env: NetworkEnv, limits: ResolveLimits): HostGuard {
  const permitted = new TtlCache<true>(MAX_VERDICTS);
  return {
    async check(hostname) {
      if (permitted.get(hostname, Date.now()) === true) return;
      await checkHost(env, hostname, limits);
      permitted.set(hostname, true, Date.now() + VERDICT_MS);
    },
  };
}

/**
 * Refuses a host unless all its addresses are public. Resolves the name at each call. A name may change its address between this look-up
 * and the connection (DNS rebinding), which does no harm: Cloudflare's network does not route to private addresses, and locally
 * `env.SOURCE_NETWORK` refuses them at connect time.
 *
 * @param signal aborts the look-up, instead of `limits.resolveMs`
 * @throws {NetworkError} forbidden, unresolvable
 */
export async function checkHost(
  env: NetworkEnv,
  hostname: string,
  limits: ResolveLimits,
  signal?: AbortSignal,
): Promise<void> {
  const open = allowsPrivateNetwork(env);
  if (!open && isForbiddenHost(hostname)) throw new NetworkError("forbidden");
  if (addressLiteral(hostname) !== null) return;
  // Public DNS does not resolve names of a private network, so only the connection attempt shows whether they exist.
  if (open && env.RESOLVER === undefined) return;
  const addresses = await resolveHost(env, hostname, limits, signal);
  if (addresses.length === 0) throw new NetworkError("unresolvable");
  if (!open && !addresses.every(isPublicAddress)) throw new NetworkError("forbidden");
}

/**
 * All IPv4 and IPv6 addresses of a name; empty when it has none.
 *
 * @throws {NetworkError} unresolvable when the look-up fails
 */
export async function resolveHost(
  env: NetworkEnv,
  hostname: string,
  limits: ResolveLimits,
  signal: AbortSignal = AbortSignal.timeout(limits.resolveMs),
): Promise<string[]> {
  try {
    if (env.RESOLVER !== undefined) return await askResolver(env.RESOLVER, hostname, signal);
    const answers = await Promise.all([1, 28].map((type) => askDns(limits.dnsUrl, hostname, type, signal)));
    return answers.flat();
  } catch (cause) {
    throw new NetworkError("unresolvable", { cause });
  }
}

async function askResolver(resolver: Fetcher, hostname: string, signal: AbortSignal): Promise<string[]> {
  const response = await resolver.fetch(`http://resolver/${encodeURIComponent(hostname)}`, { signal });
  if (!response.ok) await response.body?.cancel();
  if (response.status === 404) return [];
  if (!response.ok) throw new Error(`the resolver answered ${response.status}`);
  const { addresses } = await response.json<{ addresses: string[] }>();
  return addresses;
}

/** @param type the record type's number: 1 = A, 28 = AAAA (RFC 1035, RFC 3596) */
async function askDns(dnsUrl: string, hostname: string, type: number, signal: AbortSignal): Promise<string[]> {
  const url = new URL(dnsUrl);
  url.searchParams.set("name", hostname);
  url.searchParams.set("type", String(type));
  const response = await fetch(url, { headers: { accept: "application/dns-json" }, signal });
  if (!response.ok) await response.body?.cancel();
  if (!response.ok) throw new Error(`DNS over HTTPS answered ${response.status}`);
  const answer = await response.json<{ Status: number; Answer?: { type: number; data: string }[] }>();
  if (answer.Status === 3) return []; // NXDOMAIN
  if (answer.Status !== 0) throw new Error(`DNS answered code ${answer.Status}`);
  // The same list contains the CNAME chain.
  return (answer.Answer ?? []).filter((record) => record.type === type).map((record) => record.data);
}
