import { and, eq, isNull } from "drizzle-orm";
import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import { fromBase64 } from "../../../protocol/base64.ts";
import { isSameSecret } from "../../../protocol/same-secret.ts";
import { openDatabase } from "../../platform/database.ts";
import { credentials } from "../workspaces/tables.ts";
import { refusalOfLogin } from "./failed-logins.ts";
import { TtlCache } from "../../platform/ttl-cache.ts";
import { Problem } from "../../platform/http/problems.ts";
import type { AppContext, Caller } from "../../platform/http/router.ts";
import { sha256Hex } from "../../platform/crypto/hash.ts";

/** A credential is looked up again after this long, so a revoked one works no longer than that. */
const REMEMBER_MS = 5000;
const REMEMBERED_AT_MOST = 1000;
const remembered = new TtlCache<{ caller: Caller; secretHash: string }>(REMEMBERED_AT_MOST);

/** Reads `Authorization: Basic`; null when it is not that or not well formed (RFC 7617). */
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
  const known = remembered.get(id, nowMs);
  if (known !== undefined) return known;
  const db = openDatabase(binding);
  const rows = await db
    .select({ workspaceId: credentials.workspaceId, secretHash: credentials.secretHash })
    .from(credentials)
    .where(and(eq(credentials.id, id), isNull(credentials.revokedAt)));
  const row = rows[0];
  if (row === undefined) return null;
  const entry = { caller: { workspaceId: row.workspaceId, credentialId: id }, secretHash: row.secretHash };
  remembered.set(id, entry, nowMs + REMEMBER_MS);
  return entry;
}

/**
 * Whom the request's Basic credentials speak for.
 *
 * @throws {Problem} unauthorized; too_many_requests after too many failures
 */
export async function authenticate(c: Context<AppContext>): Promise<Caller> {
  const given = parseBasic(c.req.header("authorization"));
  if (given === null)
    throw new Problem("unauthorized", "send the access token id and its secret as HTTP Basic credentials");
  const [entry, hash] = await Promise.all([lookUp(c.env.DB, given.username, Date.now()), sha256Hex(given.password)]);
  if (!isSameSecret(hash, entry?.secretHash ?? "0".repeat(64)) || entry === null)
    throw await refusalOfLogin(c.env, c.req.header("cf-connecting-ip"), given.username);
  return entry.caller;
}

/** Lets a request pass only with a good pair of credentials; from then on `c.var.caller` says whose it is. */
export const requireCredentials = createMiddleware<AppContext>(async (c, next) => {
  c.set("caller", await authenticate(c));
  await next();
});
