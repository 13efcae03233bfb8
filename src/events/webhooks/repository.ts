import { and, asc, count, desc, eq, gte, isNull, lt, or, type SQL, sql } from "drizzle-orm";
import type { Database } from "../../platform/database.ts";
import { CATALOGUE_VERSION, expandPatterns, type EventType } from "../index.ts";
import { events } from "../tables.ts";
import { deliveries, deliveryAttempts, webhooks } from "./tables.ts";

export type Webhook = typeof webhooks.$inferSelect;
export type DeliveryRow = typeof deliveries.$inferSelect & { isTest: boolean };
export type AttemptRow = typeof deliveryAttempts.$inferSelect;

/** Every query is limited to the workspace: the id of another workspace's webhook does not exist for the caller. */
export interface WebhookKey {
  workspaceId: string;
  webhookId: string;
}

export const WEBHOOKS_PER_WORKSPACE = 50;
/** Of each delivery, the last ones; a delivery that is redelivered often has more. */
const ATTEMPTS_SHOWN = 20;

export const isWebhook = ({ workspaceId, webhookId }: WebhookKey) =>
  and(eq(webhooks.id, webhookId), eq(webhooks.workspaceId, workspaceId), isNull(webhooks.deletedAt));

const isOfWorkspace = (workspaceId: string) => and(eq(webhooks.workspaceId, workspaceId), isNull(webhooks.deletedAt));

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

/** Counts and inserts in one statement, so that concurrent requests cannot exceed the limit. False = the limit is reached. */
export async function insertWebhook(db: Database, webhook: Webhook): Promise<boolean> {
  const { workspaceId } = webhook;
  const matched = webhook.matchedTypes === null ? null : JSON.stringify(webhook.matchedTypes);
  const inserted = await db.run(sql`
    INSERT INTO ${webhooks} (id, workspace_id, url, description, event_types, matched_types, matched_version, naming, event_secrets, enabled, secret, created_at, updated_at)
    SELECT ${webhook.id}, ${workspaceId}, ${webhook.url}, ${webhook.description}, ${JSON.stringify(webhook.eventTypes)}, ${matched},
      ${webhook.matchedVersion}, ${webhook.naming}, ${webhook.eventSecrets ? 1 : 0}, ${webhook.enabled ? 1 : 0}, ${webhook.secret},
      ${webhook.createdAt.getTime()}, ${webhook.updatedAt.getTime()}
    WHERE (SELECT count(*) FROM ${webhooks} WHERE workspace_id = ${workspaceId} AND deleted_at IS NULL) < ${WEBHOOKS_PER_WORKSPACE}`);
  return inserted.meta.changes > 0;
}

export interface DeliveryFilter {
  status?: DeliveryRow["status"] | undefined;
  types?: EventType[] | undefined;
  from?: Date | undefined; // inclusive
  to?: Date | undefined; // exclusive
  /** Of the last row of the previous page: creation time (epoch ms) and event. */
  after: readonly [number, string] | null;
}

/** Newest first, with their attempts. */
export async function listDeliveries(
  db: Database,
  { workspaceId, webhookId }: WebhookKey,
  { status, types, from, to, after }: DeliveryFilter,
  limit: number,
): Promise<DeliveryRow[]> {
  const conditions = [
    eq(deliveries.webhookId, webhookId),
    eq(deliveries.workspaceId, workspaceId),
    status && eq(deliveries.status, status),
    types && isIn(deliveries.type, types),
    from && gte(deliveries.createdAt, from),
    to && lt(deliveries.createdAt, to),
    after && isAfter(after),
  ];
  const rows = await db
    .select({ row: deliveries, isTest: events.isTest })
    .from(deliveries)
    .leftJoin(events, eq(events.id, deliveries.eventId))
    .where(and(...conditions.filter((condition) => condition !== null)))
    .orderBy(desc(deliveries.createdAt), desc(deliveries.eventId))
    .limit(limit);
  return rows.map(({ row, isTest }) => ({ ...row, isTest: isTest ?? false }));
}

const isAfter = ([ms, eventId]: readonly [number, string]) =>
  or(
    lt(deliveries.createdAt, new Date(ms)),
    and(eq(deliveries.createdAt, new Date(ms)), lt(deliveries.eventId, eventId)),
  );

/** One bound parameter for any number of values: D1 takes 100 in a statement. */
const isIn = (column: typeof deliveries.type | typeof deliveryAttempts.eventId, values: readonly string[]): SQL =>
  sql`${column} IN (SELECT value FROM json_each(${JSON.stringify(values)}))`;

/** The last attempts of each delivery, oldest first, by event. */
export async function findAttempts(
  db: Database,
  webhookId: string,
  eventIds: readonly string[],
): Promise<Map<string, AttemptRow[]>> {
  const rows = await attemptsWhere(db, [
    eq(deliveryAttempts.webhookId, webhookId),
    isIn(deliveryAttempts.eventId, eventIds),
  ]);
  return Map.groupBy(rows, ({ eventId }) => eventId);
}

/** The deliveries of an event, also to deleted webhooks, with the current URL of each webhook. */
export async function deliveryRowsOfEvent(
  db: Database,
  eventId: string,
): Promise<{ row: DeliveryRow; url: string; attempts: AttemptRow[] }[]> {
  const rows = await db
    .select({ row: deliveries, url: webhooks.url, isTest: events.isTest })
    .from(deliveries)
    .innerJoin(webhooks, eq(webhooks.id, deliveries.webhookId))
    .innerJoin(events, eq(events.id, deliveries.eventId))
    .where(eq(deliveries.eventId, eventId))
    .orderBy(asc(deliveries.createdAt), asc(deliveries.webhookId));
  const attempts = await attemptsWhere(db, [eq(deliveryAttempts.eventId, eventId)]);
  const byWebhook = Map.groupBy(attempts, ({ webhookId }) => webhookId);
  return rows.map(({ row, url, isTest }) => ({
    row: { ...row, isTest },
    url,
    attempts: byWebhook.get(row.webhookId) ?? [],
  }));
}

async function attemptsWhere(db: Database, conditions: SQL[]): Promise<AttemptRow[]> {
  const ofDelivery = and(
    eq(deliveries.eventId, deliveryAttempts.eventId),
    eq(deliveries.webhookId, deliveryAttempts.webhookId),
  );
  const rows = await db
    .select({ attempt: deliveryAttempts })
    .from(deliveryAttempts)
    .innerJoin(deliveries, ofDelivery)
    .where(and(...conditions, sql`${deliveryAttempts.number} > ${deliveries.attempts} - ${ATTEMPTS_SHOWN}`))
    .orderBy(asc(deliveryAttempts.number));
  return rows.map(({ attempt }) => attempt);
}
