import { and, eq, isNull } from "drizzle-orm";
import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import { fromBase64 } from "../../../protocol/base64.ts";
import { isSameSecret } from "../../../protocol/same-secret.ts";
import { openDatabase } from "../../platform/database.ts";
import { credentials } from "../workspaces/tables.ts";
import { refusalOfLogin } from "./failed-logins.ts";
import { unknownLogins } from "../../platform/network/unknown-ids.ts";
import { TtlCache } from "../../platform/ttl-cache.ts";
import { Problem } from "../../platform/http/problems.ts";
import type { AppContext, Caller } from "../../platform/http/router.ts";
import { sha256Hex } from "../../platform/crypto/hash.ts";

/** A verified credential is cached for this long, which is also how long a revoked one still works. */
const CACHE_TTL_MS = 5000;
const MAX_CACHED = 1000;
/** Longer than every id. What is longer is not looked up, and not remembered. */
const MAX_ID_LENGTH = 64;
const cache = new TtlCache<{ caller: Caller; secretHash: string }>(MAX_CACHED);
/** IDs of no credential, for as long. Separate, so that guesses do not displace credentials. */
const missing = new TtlCache<true>(MAX_CACHED);

/** Parses `Authorization: Basic` (RFC 7617); null = another scheme, or malformed. */
function parseBasic(header: string | undefined): { username: string; password: string } | null {
  const encoded = /^Basic +([A-Za-z0-9+/=_-]+) *$/i.exec(header ?? "")?.[1];
  const bytes = encoded === undefined ? null : fromBase64(encoded);
  if (bytes === null) return null;
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes);
    const colon = text.indexOf(":");
    return colon < 0 ? null : { username: text.slice(0, colon), password: text.slice(colon + 1) };
  } catch {
    return null;
  }
}

async function lookUp(binding: D1Database, id: string, nowMs: number) {
  const known = cache.get(id, nowMs);
  if (known !== undefined) return known;
  if (missing.get(id, nowMs) === true) return null;
  const db = openDatabase(binding);
  const rows = await db
    .select({ workspaceId: credentials.workspaceId, secretHash: credentials.secretHash })
    .from(credentials)
    .where(and(eq(credentials.id, id), isNull(credentials.revokedAt)));
  const row = rows[0];
  if (row === undefined) {
    missing.set(id, true, nowMs + CACHE_TTL_MS);
    return null;
  }
  const entry = { caller: { workspaceId: row.workspaceId, credentialId: id }, secretHash: row.secretHash };
  cache.set(id, entry, nowMs + CACHE_TTL_MS);
  return entry;
}

/**
 * The caller that the request's Basic credentials belong to. A network that has tried too many wrong ones is refused before the look-up, unless
 * this isolate has verified the credentials of late (decision 0136).
 *
 * @throws {Problem} unauthorized; too_many_requests after too many failures
 */
export async function authenticate(c: Context<AppContext>): Promise<Caller> {
  const given = parseBasic(c.req.header("authorization"));
  if (given === null)
    throw new Problem("unauthorized", "send the access token id and its secret as HTTP Basic credentials");
  const { username: id, password } = given;
  const refusal = () => refusalOfLogin(c.env, c.req.header("cf-connecting-ip"), id);
  if (id.length > MAX_ID_LENGTH) throw await refusal();
  const [nowMs, hash] = [Date.now(), await sha256Hex(password)];
  const login = `${id} ${hash}`;
  unknownLogins.requireFew(c.req.raw, login, nowMs);
  const entry = await lookUp(c.env.DB, id, nowMs);
  if (!isSameSecret(hash, entry?.secretHash ?? "0".repeat(64)) || entry === null) {
    const [problem] = await Promise.all([refusal(), unknownLogins.count(c.env, c.req.raw, login, nowMs)]);
    throw problem;
  }
  unknownLogins.remember(login, nowMs);
  return entry.caller;
}

/** Requires valid credentials and sets `c.var.caller`. */
export const requireCredentials = createMiddleware<AppContext>(async (c, next) => {
  c.set("caller", await authenticate(c));
  await next();
});
