import type { Env } from "../../platform/env.ts";
import { openDatabase } from "../../platform/database.ts";
import { errorFields, logError } from "../../platform/log.ts";
import { isForbiddenHost } from "../../platform/network/public-url.ts";
import { unknownHosts } from "../../platform/network/unknown-ids.ts";
import { TtlCache } from "../../platform/ttl-cache.ts";
import { servesPlatform } from "./host-name.ts";
import { findHost, type ImportHost } from "./repository.ts";

/** How long an isolate answers from memory: a host that was mapped or deleted elsewhere is known this much later. */
const KNOWN_MS = 60_000;
const known = new TtlCache<ImportHost | null>(256);

type HostEnv = Pick<Env, "DB" | "PUBLIC_URL" | "BEACON_DOMAIN" | "UNKNOWN_IDS">;

/**
 * The mapping of the host of a request; null = it has none. Answers without waiting from memory, and for hosts that are never mapped; otherwise with
 * one query. A network that names too many unknown hosts gets no further queries.
 *
 * @param host as in `URL.hostname`
 */
export function mappedHost(
  request: Request,
  host: string,
  env: HostEnv,
): Promise<ImportHost | null> | ImportHost | null {
  const nowMs = Date.now();
  const key = keyOf(env, host);
  const found = known.get(key, nowMs);
  if (found !== undefined) return found;
  if (!isNeverMapped(host, env))
    return unknownHosts.refuses(request, host, nowMs) ? null : lookUp(request, host, env, nowMs);
  known.set(key, null, nowMs + KNOWN_MS);
  return null;
}

const keyOf = ({ PUBLIC_URL }: Pick<HostEnv, "PUBLIC_URL">, host: string): string => `${PUBLIC_URL} ${host}`;

/** Hosts of the platform, and names and addresses that cannot be mapped. */
const isNeverMapped = (host: string, { PUBLIC_URL, BEACON_DOMAIN }: HostEnv): boolean =>
  host.endsWith(".workers.dev") ||
  isForbiddenHost(host) ||
  !/\.[^.]*[^.\d]/.test(host) || // an address, or a single label
  servesPlatform(host, { publicUrl: PUBLIC_URL, requestHost: "", beaconDomain: BEACON_DOMAIN });

/** A failure must not keep other hosts from being served. */
async function lookUp(request: Request, host: string, env: HostEnv, nowMs: number): Promise<ImportHost | null> {
  try {
    const found = await findHost(openDatabase(env.DB), host);
    known.set(keyOf(env, host), found, nowMs + KNOWN_MS);
    if (found === null) await unknownHosts.count(env, request, host, nowMs);
    else unknownHosts.remember(host, nowMs);
    return found;
  } catch (error) {
    logError("import_host.lookup_failed", { ...errorFields(error) });
    return null;
  }
}

/** Call after a change: this isolate then looks again. */
export const forgetMappedHost = (env: Pick<HostEnv, "PUBLIC_URL">, host: string): void =>
  known.delete(keyOf(env, host));
