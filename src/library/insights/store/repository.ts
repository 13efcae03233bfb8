import { and, asc, eq, inArray, lt, type SQL, sql } from "drizzle-orm";
import type { Database, Statement } from "../../../platform/database.ts";
import { rowsOfTurn, type Turn } from "../../../platform/turns.ts";
import { type InsightFacts, type InsightResult, insights } from "./tables.ts";

export type Insight = typeof insights.$inferSelect;
export type InsightKind = Insight["kind"];

export const insightsOf = (db: Database, assetIds: string[]) =>
  db.select().from(insights).where(inArray(insights.assetId, assetIds)).orderBy(asc(insights.kind));

/** What a request asks for. */
export interface InsightRequest {
  kind: InsightKind;
  order: Insight["order"];
}

export const newInsight = (
  { kind, order }: InsightRequest,
  { assetId, workspaceId }: Pick<Insight, "assetId" | "workspaceId">,
  now: Date,
): Insight => ({
  assetId,
  kind,
  workspaceId,
  requestId: crypto.randomUUID(),
  status: "preparing",
  order,
  percent: 0,
  result: null,
  madeBy: null,
  errorCode: null,
  errorMessage: null,
  errorFault: null,
  createdAt: now,
});

export const insertInsights = (db: Database, rows: readonly Insight[]): Statement[] =>
  rows.map((row) => db.insert(insights).values(row).onConflictDoNothing());

/** In the place of the one of this kind, if there is one. Has no effect where the condition is false. */
export const putInsightIf = (db: Database, row: Insight, condition: SQL): Statement =>
  db.run(
    sql`INSERT OR REPLACE INTO ${insights} (asset_id, kind, workspace_id, request_id, status, "order", percent, result, made_by, created_at)
      SELECT ${row.assetId}, ${row.kind}, ${row.workspaceId}, ${row.requestId}, ${row.status}, ${JSON.stringify(row.order)}, ${row.percent},
        ${row.result && JSON.stringify(row.result)}, ${row.madeBy && JSON.stringify(row.madeBy)}, ${row.createdAt.getTime()}
      WHERE ${condition}`,
  );

export const deleteInsightIf = (db: Database, { assetId, kind }: Pick<Insight, "assetId" | "kind">, condition: SQL) =>
  db.delete(insights).where(and(eq(insights.assetId, assetId), eq(insights.kind, kind), condition));

/** How the making of a result has ended. */
export type InsightEnd =
  | { status: "available"; result: InsightResult; madeBy: InsightFacts }
  | { status: "failed"; error: { code: string; message: string; fault: "source" | "service" } };

/** The columns of one that has ended. */
export const endedInsight = (end: InsightEnd) =>
  end.status === "available"
    ? { status: end.status, percent: 100, result: end.result, madeBy: end.madeBy }
    : { status: end.status, errorCode: end.error.code, errorMessage: end.error.message, errorFault: end.error.fault };

/** Which result of which request. */
export type InsightKey = Pick<Insight, "assetId" | "kind" | "requestId">;

const isPreparing = ({ assetId, kind, requestId }: InsightKey) =>
  and(
    eq(insights.assetId, assetId),
    eq(insights.kind, kind),
    eq(insights.requestId, requestId),
    eq(insights.status, "preparing"),
  );

/** Without effect on one that has ended or was asked for again, or where the condition is false. */
export const endInsightIf = (db: Database, key: InsightKey, end: InsightEnd, condition: SQL): Statement =>
  db
    .update(insights)
    .set(endedInsight(end))
    .where(and(isPreparing(key), condition));

/** It changes nothing else of the record. */
export const showInsightProgress = (db: Database, key: InsightKey, percent: number): Statement =>
  db.update(insights).set({ percent }).where(isPreparing(key));

export const deleteInsightsOf = (db: Database, assetId: string) =>
  db.delete(insights).where(eq(insights.assetId, assetId));

/** Nothing is made of a media that is not ready yet, or deleted. A request of one that has failed is ended. */
const canBeMade = sql`(SELECT assets.status FROM assets WHERE assets.id = ${insights.assetId} AND assets.deleted_at IS NULL) IN ('ready', 'errored')`;

/** Those whose machine may never have heard of them: in preparation since before that time. Where there are many, a page of them, each minute another one. */
export async function findStrayInsights(db: Database, before: Date, turn: Turn): Promise<Insight[]> {
  // A literal, because SQLite does not match a bound parameter with the condition of `insights_preparing`.
  const isStray = and(sql`${insights.status} = 'preparing'`, lt(insights.createdAt, before), canBeMade);
  const { limit, offset } = rowsOfTurn(await db.$count(insights, isStray), turn);
  return db.select().from(insights).where(isStray).orderBy(asc(insights.createdAt)).limit(limit).offset(offset);
}
