import { and, eq, isNull } from "drizzle-orm";
import { openDatabase } from "../../../platform/database.ts";
import type { Env } from "../../../platform/env.ts";
import { openSecret } from "../records/secrets.ts";
import { importSigningKey } from "./signature.ts";
import { webhooks } from "../records/tables.ts";

/** The endpoint of a webhook, and the keys that sign for it. */
export interface Target {
  webhookId: string;
  workspaceId: string;
  url: string;
  isOpen: boolean; // enabled by its owner and not disabled by us
  /** Its events include the secrets of live streams. */
  eventSecrets: boolean;
  /** The current signing key; for 24 h after a rotation, the previous one too. */
  keys: CryptoKey[];
}

/** Null when the webhook does not exist or is deleted. */
export async function findTarget(env: Env, webhookId: string, nowMs: number): Promise<Target | null> {
  const rows = await openDatabase(env.DB)
    .select()
    .from(webhooks)
    .where(and(eq(webhooks.id, webhookId), isNull(webhooks.deletedAt)));
  const row = rows[0];
  return row === undefined ? null : toTarget(env, row, nowMs);
}

export async function toTarget(env: Env, row: typeof webhooks.$inferSelect, nowMs: number): Promise<Target> {
  const { previousSecret, previousSecretUntil } = row;
  const isInOverlap = previousSecret !== null && (previousSecretUntil?.getTime() ?? 0) > nowMs;
  const sealed = isInOverlap ? [row.secret, previousSecret] : [row.secret];
  return {
    webhookId: row.id,
    workspaceId: row.workspaceId,
    url: row.url,
    isOpen: row.enabled && row.disabledReason === null,
    eventSecrets: row.eventSecrets,
    keys: await Promise.all(sealed.map((secret) => keyOf(env.WEBHOOK_KEYS, row.id, secret))),
  };
}

const MAX_CACHED_KEYS = 1000;
const keys = new Map<string, CryptoKey>(); // sealed secret → key, because unsealing takes longer than signing

async function keyOf(sealingKeys: string, webhookId: string, sealed: string): Promise<CryptoKey> {
  const known = keys.get(sealed);
  if (known !== undefined) return known;
  const key = await importSigningKey(await openSecret(sealingKeys, webhookId, sealed));
  if (keys.size >= MAX_CACHED_KEYS) keys.clear();
  keys.set(sealed, key);
  return key;
}
