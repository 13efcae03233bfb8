/** Queries and changes of `alert_rules`. No other room writes the table. */
import { and, asc, count, desc, eq, gt, lt, type SQL } from "drizzle-orm";
import type { Database } from "../../platform/database.ts";
import { BUCKET_MS } from "./decide.ts";
import { alertRules } from "./tables.ts";

export type AlertRule = typeof alertRules.$inferSelect;

export const insertAlert = (db: Database, rule: AlertRule) => db.insert(alertRules).values(rule);

export const countAlerts = (db: Database, workspaceId: string): Promise<number> =>
  db.$count(alertRules, eq(alertRules.workspaceId, workspaceId));

export async function findAlert(db: Database, workspaceId: string, id: string): Promise<AlertRule | null> {
  const [found] = await db.select().from(alertRules).where(isAlert(workspaceId, id));
  return found ?? null;
}

/** Newest first. @param page counts from 1 */
export async function listAlerts(
  db: Database,
  workspaceId: string,
  { page, limit }: { page: number; limit: number },
): Promise<{ rules: AlertRule[]; total: number }> {
  const mine = eq(alertRules.workspaceId, workspaceId);
  const [rules, totals] = await db.batch([
    db
      .select()
      .from(alertRules)
      .where(mine)
      .orderBy(desc(alertRules.createdAt), desc(alertRules.id))
      .limit(limit)
      .offset((page - 1) * limit),
    db.select({ total: count() }).from(alertRules).where(mine),
  ]);
  return { rules, total: totals[0]?.total ?? 0 };
}

/** @returns null when a caller has changed or deleted the alert since it was read */
export async function changeAlert(
  db: Database,
  seen: AlertRule,
  change: Partial<AlertRule> & { updatedAt: Date },
): Promise<AlertRule | null> {
  // Increases even within one millisecond, because it identifies a change.
  const updatedAt = new Date(Math.max(change.updatedAt.getTime(), seen.updatedAt.getTime() + 1));
  const [changed] = await db
    .update(alertRules)
    .set({ ...change, updatedAt })
    .where(isUnchanged(seen))
    .returning();
  return changed ?? null;
}

/** @returns null when the workspace has no such alert */
export async function deleteAlert(db: Database, workspaceId: string, id: string): Promise<{ id: string } | null> {
  const [deleted] = await db.delete(alertRules).where(isAlert(workspaceId, id)).returning({ id: alertRules.id });
  return deleted ?? null;
}

/**
 * Alerts that are not yet evaluated for the bucket with this end. The longest-waiting come first, and those whose evaluation has failed come last,
 * so that they do not take the places of others.
 */
export async function findDueAlerts(db: Database, bucketEndMs: number, limit: number): Promise<AlertRule[]> {
  const find = (isDue: SQL | undefined, most: number) =>
    db.select().from(alertRules).where(isDue).orderBy(asc(alertRules.evaluatedUntilMs)).limit(most);
  const { evaluatedUntilMs } = alertRules;
  const due = await find(lt(evaluatedUntilMs, bucketEndMs), limit);
  if (due.length === limit) return due;
  const hasFailed = and(gt(evaluatedUntilMs, bucketEndMs), lt(evaluatedUntilMs, bucketEndMs + BUCKET_MS));
  return [...due, ...(await find(hasFailed, limit - due.length))];
}

/**
 * Puts an alert whose evaluation has failed behind all others, and behind those that have failed less often: a few milliseconds after the end of the
 * bucket, which no evaluated alert has. It has no figures of the bucket until it is evaluated.
 */
export const postponeAlert = (db: Database, seen: AlertRule, bucketEndMs: number) =>
  storeEvaluation(db, seen, {
    evaluatedUntilMs: Math.max(seen.evaluatedUntilMs, bucketEndMs) + 1,
    lastViews: null,
    lastValue: null,
  });

/** Stores the result of an evaluation, unless another one or a change by a caller came first. */
export const storeEvaluation = (db: Database, seen: AlertRule, found: Partial<AlertRule>) =>
  db
    .update(alertRules)
    .set(found)
    .where(and(isUnchanged(seen), eq(alertRules.evaluatedUntilMs, seen.evaluatedUntilMs)));

const isUnchanged = ({ id, updatedAt }: AlertRule) => and(eq(alertRules.id, id), eq(alertRules.updatedAt, updatedAt));
const isAlert = (workspaceId: string, id: string) =>
  and(eq(alertRules.id, id), eq(alertRules.workspaceId, workspaceId));
