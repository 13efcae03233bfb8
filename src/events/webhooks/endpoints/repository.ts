import { and, asc, count, desc, eq, isNull, sql } from "drizzle-orm";
import type { Database, Statement } from "../../../platform/database.ts";
import { CATALOGUE_VERSION, expandPatterns } from "../../index.ts";
import { webhooks } from "../records/tables.ts";

export type Webhook = typeof webhooks.$inferSelect;

/** Every query is limited to the workspace, so a caller cannot find another workspace's webhook by its id. */
export interface WebhookKey {
  workspaceId: string;
  webhookId: string;
}

export const WEBHOOKS_PER_WORKSPACE = 50;

export const isWebhook = ({ workspaceId, webhookId }: WebhookKey) =>
  and(eq(webhooks.id, webhookId), eq(webhooks.workspaceId, workspaceId), isNull(webhooks.deletedAt));

const isOfWorkspace = (workspaceId: string) =>
  and(eq(webhooks.workspaceId, workspaceId), isNull(webhooks.deletedAt), isNull(webhooks.objectId));

/** The columns for `eventTypes`: as the owner wrote them, and resolved for the fan-out. */
export const typesOf = (eventTypes: string[]) => ({
  eventTypes,
  matchedTypes: expandPatterns(eventTypes),
  matchedVersion: CATALOGUE_VERSION,
});

export async function findWebhook(db: Database, key: WebhookKey): Promise<Webhook | null> {
  const rows = await db.select().from(webhooks).where(isWebhook(key));
  return rows[0] ?? null;
}

/** @param page counts from 1 */
export async function listWebhooks(
  db: Database,
  workspaceId: string,
  { page, limit, order }: { page: number; limit: number; order: "asc" | "desc" },
): Promise<{ rows: Webhook[]; total: number }> {
  const direction = order === "asc" ? asc : desc;
  const [rows, totals] = await db.batch([
    db
      .select()
      .from(webhooks)
      .where(isOfWorkspace(workspaceId))
      .orderBy(direction(webhooks.createdAt), direction(webhooks.id))
      .limit(limit)
      .offset((page - 1) * limit),
    db.select({ total: count() }).from(webhooks).where(isOfWorkspace(workspaceId)),
  ]);
  return { rows, total: totals[0]?.total ?? 0 };
}

export async function countWebhooks(db: Database, workspaceId: string): Promise<number> {
  return await db.$count(webhooks, isOfWorkspace(workspaceId));
}

/** Counts and inserts in one statement, so that concurrent requests cannot exceed the limit. Without effect when the limit is reached. */
export function insertWebhook(db: Database, webhook: Webhook): Statement {
  const { workspaceId } = webhook;
  const matched = webhook.matchedTypes === null ? null : JSON.stringify(webhook.matchedTypes);
  return db.run(sql`
    INSERT INTO ${webhooks} (id, workspace_id, url, description, event_types, matched_types, matched_version, naming, event_secrets, enabled, secret, created_at, updated_at)
    SELECT ${webhook.id}, ${workspaceId}, ${webhook.url}, ${webhook.description}, ${JSON.stringify(webhook.eventTypes)}, ${matched},
      ${webhook.matchedVersion}, ${webhook.naming}, ${webhook.eventSecrets ? 1 : 0}, ${webhook.enabled ? 1 : 0}, ${webhook.secret},
      ${webhook.createdAt.getTime()}, ${webhook.updatedAt.getTime()}
    WHERE (SELECT count(*) FROM ${webhooks} WHERE workspace_id = ${workspaceId} AND deleted_at IS NULL AND object_id IS NULL) < ${WEBHOOKS_PER_WORKSPACE}`);
}

/** One that gets the events of one object. The caller bounds their number. */
export const insertObjectWebhook = (db: Database, webhook: Webhook): Statement => db.insert(webhooks).values(webhook);

/** In the same commit: whether there was room for the webhook. */
export const isInserted = (id: string) => sql`EXISTS (SELECT 1 FROM ${webhooks} WHERE id = ${id})`;
