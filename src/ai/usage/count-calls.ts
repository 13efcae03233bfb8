import { and, asc, eq, gte, lte, sql } from "drizzle-orm";
import type { Database } from "../../platform/database.ts";
import type { AiEnv } from "../providers/index.ts";
import { aiUsage } from "./tables.ts";

export type AiUsage = typeof aiUsage.$inferSelect;

/** One call of a provider. */
export interface Call {
  workspaceId: string;
  kind: AiUsage["kind"];
  engine: string;
  units: number;
  costMicroUsd: number;
}

export const dayOf = (now: Date): string => now.toISOString().slice(0, 10);
const firstOfMonth = (now: Date): string => `${now.toISOString().slice(0, 7)}-01`;

/** What a workspace may spend in a calendar month (UTC), in millionths of a dollar. */
export const budgetMicroUsd = ({ AI_MONTHLY_BUDGET_USD: usd }: Pick<AiEnv, "AI_MONTHLY_BUDGET_USD">): number =>
  Math.round(Number(usd) * 1e6);

const spentSql = (workspaceId: string, now: Date) =>
  sql`(SELECT coalesce(sum(cost_micro_usd), 0) FROM ${aiUsage} WHERE workspace_id = ${workspaceId} AND day >= ${firstOfMonth(now)})`;

/**
 * Counts a call before it is made, unless the workspace's budget of the month does not cover it. One statement, so calls at the same time do not exceed
 * the budget. A call that a crash interrupts stays counted: the provider may have worked.
 *
 * @returns whether it may be made
 */
export async function reserveCall(db: Database, call: Call, budget: number, now: Date): Promise<boolean> {
  const { workspaceId, kind, engine, units, costMicroUsd } = call;
  const { meta } = await db.run(
    sql`INSERT INTO ${aiUsage} (workspace_id, day, kind, engine, calls, units, cost_micro_usd)
      SELECT ${workspaceId}, ${dayOf(now)}, ${kind}, ${engine}, 1, ${units}, ${costMicroUsd}
      WHERE ${costMicroUsd} = 0 OR ${spentSql(workspaceId, now)} + ${costMicroUsd} <= ${budget}
      ON CONFLICT (workspace_id, day, kind, engine) DO UPDATE SET
        calls = calls + 1, units = units + excluded.units, cost_micro_usd = cost_micro_usd + excluded.cost_micro_usd`,
  );
  return meta.changes > 0;
}

/** The provider did not work for a call that was counted. @param at when it was counted */
export const releaseCall = (db: Database, { workspaceId, kind, engine, units, costMicroUsd }: Call, at: Date) =>
  db
    .update(aiUsage)
    .set({
      calls: sql`${aiUsage.calls} - 1`,
      units: sql`${aiUsage.units} - ${units}`,
      costMicroUsd: sql`${aiUsage.costMicroUsd} - ${costMicroUsd}`,
    })
    .where(isCounted({ workspaceId, kind, engine }, at));

/** A call has cost less than was reserved for it, or more. @param at when it was counted */
export const settleCall = (
  db: Database,
  { workspaceId, kind, engine, units, costMicroUsd }: Call,
  actual: { costMicroUsd: number; units: number },
  at: Date,
) =>
  db
    .update(aiUsage)
    .set({
      units: sql`${aiUsage.units} + ${actual.units - units}`,
      costMicroUsd: sql`${aiUsage.costMicroUsd} + ${actual.costMicroUsd - costMicroUsd}`,
    })
    .where(isCounted({ workspaceId, kind, engine }, at));

/** The row in which a call is counted. */
const isCounted = ({ workspaceId, kind, engine }: Pick<Call, "workspaceId" | "kind" | "engine">, at: Date) =>
  and(
    eq(aiUsage.workspaceId, workspaceId),
    eq(aiUsage.day, dayOf(at)),
    eq(aiUsage.kind, kind),
    eq(aiUsage.engine, engine),
  );

/** Whether the rest of the month's budget covers a cost. */
export async function isCovered(
  db: Database,
  env: Pick<AiEnv, "AI_MONTHLY_BUDGET_USD">,
  { workspaceId, costMicroUsd }: { workspaceId: string; costMicroUsd: number },
  now: Date,
): Promise<boolean> {
  return costMicroUsd === 0 || (await spentInMonth(db, workspaceId, now)) + costMicroUsd <= budgetMicroUsd(env);
}

/** In millionths of a dollar. */
export async function spentInMonth(db: Database, workspaceId: string, now: Date): Promise<number> {
  const [row] = await db.all<{ spent: number }>(sql`SELECT ${spentSql(workspaceId, now)} AS spent`);
  return row?.spent ?? 0;
}

/** @param from the first day; @param to the last one */
export const usageOfDays = (db: Database, workspaceId: string, { from, to }: { from: string; to: string }) =>
  db
    .select()
    .from(aiUsage)
    .where(and(eq(aiUsage.workspaceId, workspaceId), gte(aiUsage.day, from), lte(aiUsage.day, to)))
    .orderBy(asc(aiUsage.day), asc(aiUsage.kind), asc(aiUsage.engine));
