import { and, asc, desc, eq, gte, lt, or, type SQL, sql } from "drizzle-orm";
import type { Database } from "../../../platform/database.ts";
import { events, type EventType } from "../../index.ts";
import type { WebhookKey } from "../endpoints/repository.ts";
import { deliveries, deliveryAttempts, webhooks } from "../records/tables.ts";

export type DeliveryRow = typeof deliveries.$inferSelect & { isTest: boolean };
export type AttemptRow = typeof deliveryAttempts.$inferSelect;

/** The last attempts of each delivery. One that is redelivered often has more. */
const ATTEMPTS_SHOWN = 20;

export interface DeliveryFilter {
  status?: DeliveryRow["status"] | undefined;
  types?: EventType[] | undefined;
  from?: Date | undefined; // inclusive
  to?: Date | undefined; // exclusive
  /** Position of the previous page's last row: creation time (epoch ms) and event. */
  after: readonly [number, string] | null;
}

/** The deliveries of a webhook, newest first. */
export async function findDeliveries(
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

/** One bound parameter for any number of values: D1 allows 100 in a statement. */
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
