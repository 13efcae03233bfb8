/** Queries and changes of `signing_keys`. No other room writes the table. */
import { and, count, desc, eq, isNotNull } from "drizzle-orm";
import type { Database } from "../../platform/database.ts";
import { signingKeys } from "./tables.ts";

export type SigningKey = typeof signingKeys.$inferSelect;

/** A key whose private half is stored. */
export type ServerKey = SigningKey & { sealedPrivateKey: string };

export const insertSigningKey = (db: Database, key: SigningKey) => db.insert(signingKeys).values(key);

export const countSigningKeys = (db: Database, workspaceId: string): Promise<number> =>
  db.$count(signingKeys, eq(signingKeys.workspaceId, workspaceId));

export async function findSigningKey(db: Database, workspaceId: string, id: string): Promise<SigningKey | null> {
  const [found] = await db.select().from(signingKeys).where(isKey(workspaceId, id));
  return found ?? null;
}

/** The workspace's newest key for tokens that the API makes; null when there is none. */
export async function findServerKey(db: Database, workspaceId: string): Promise<ServerKey | null> {
  const [found] = await db
    .select()
    .from(signingKeys)
    .where(and(eq(signingKeys.workspaceId, workspaceId), isNotNull(signingKeys.sealedPrivateKey)))
    .orderBy(desc(signingKeys.createdAt), desc(signingKeys.id))
    .limit(1);
  const sealedPrivateKey = found?.sealedPrivateKey ?? null;
  return found === undefined || sealedPrivateKey === null ? null : { ...found, sealedPrivateKey };
}

/** Replaces the seal of a private half, unless it has changed since it was read. */
export const resealServerKey = (db: Database, { id, sealedPrivateKey }: ServerKey, resealed: string) =>
  db
    .update(signingKeys)
    .set({ sealedPrivateKey: resealed })
    .where(and(eq(signingKeys.id, id), eq(signingKeys.sealedPrivateKey, sealedPrivateKey)));

/** Newest first. @param page counts from 1 */
export async function listSigningKeys(
  db: Database,
  workspaceId: string,
  { page, limit }: { page: number; limit: number },
): Promise<{ keys: SigningKey[]; total: number }> {
  const mine = eq(signingKeys.workspaceId, workspaceId);
  const [keys, totals] = await db.batch([
    db
      .select()
      .from(signingKeys)
      .where(mine)
      .orderBy(desc(signingKeys.createdAt), desc(signingKeys.id))
      .limit(limit)
      .offset((page - 1) * limit),
    db.select({ total: count() }).from(signingKeys).where(mine),
  ]);
  return { keys, total: totals[0]?.total ?? 0 };
}

/** @returns null when there is no such key */
export async function deleteSigningKey(db: Database, workspaceId: string, id: string): Promise<{ id: string } | null> {
  const [deleted] = await db.delete(signingKeys).where(isKey(workspaceId, id)).returning({ id: signingKeys.id });
  return deleted ?? null;
}

const isKey = (workspaceId: string, id: string) =>
  and(eq(signingKeys.id, id), eq(signingKeys.workspaceId, workspaceId));
