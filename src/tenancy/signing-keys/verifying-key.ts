import { importSPKI } from "jose";
import { openDatabase } from "../../platform/database.ts";
import { type Lasting, SingleFlight } from "../../platform/single-flight.ts";
import { TtlCache } from "../../platform/ttl-cache.ts";
import { findSigningKey } from "./repository.ts";

/**
 * How long an isolate answers from memory, and so how long a revoked key still works. An unknown key is looked up once a second, because anybody
 * can name one.
 */
const KEY_KNOWN_MS = 3000;
const known = new TtlCache<CryptoKey>(256);
const UNKNOWN_MS = 1000;
const unknown = new TtlCache<true>(1024);
const lookups = new SingleFlight<CryptoKey | null>();

/** The public half of a signing key, for RS256; null when the workspace has no such key. */
export async function findVerifyingKey(
  binding: D1Database,
  ctx: Lasting,
  workspaceId: string,
  keyId: string,
): Promise<CryptoKey | null> {
  const cacheKey = `${workspaceId} ${keyId}`;
  const nowMs = Date.now();
  const recent = known.get(cacheKey, nowMs);
  if (recent !== undefined) return recent;
  if (unknown.get(cacheKey, nowMs) === true) return null;
  const key = await lookups.share(cacheKey, ctx, async () => {
    const found = await findSigningKey(openDatabase(binding), workspaceId, keyId);
    return found === null ? null : await importSPKI(found.publicKey, "RS256");
  });
  if (key === null) unknown.set(cacheKey, true, nowMs + UNKNOWN_MS);
  else known.set(cacheKey, key, nowMs + KEY_KNOWN_MS);
  return key;
}

/** Whether this isolate still answers for the key from memory. */
export const isVerifyingKeyKnown = (workspaceId: string, keyId: string, nowMs: number): boolean =>
  known.get(`${workspaceId} ${keyId}`, nowMs) !== undefined;

/** Call after revoking a key: its tokens end at once in this isolate. */
export function forgetVerifyingKey(workspaceId: string, keyId: string): void {
  known.delete(`${workspaceId} ${keyId}`);
}
