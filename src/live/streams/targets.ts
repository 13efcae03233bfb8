/** Queries and changes of `simulcast_targets`, most of them statements for a caller's batch. */
import { and, count, eq, type SQL, sql } from "drizzle-orm";
import { columnValues } from "../../platform/column-values.ts";
import type { Database } from "../../platform/database.ts";
import type { Env } from "../../platform/env.ts";
import { findStream, type LiveStream, type SimulcastTarget } from "./repository.ts";
import { simulcastTargets, type TargetReport } from "./tables.ts";

export async function findTarget(
  env: Env,
  { workspaceId, streamId }: { workspaceId: string; streamId: string },
  simulcastId: string,
): Promise<{ target: SimulcastTarget; stream: LiveStream } | null> {
  const record = await findStream(env, workspaceId, streamId);
  const target = record?.targets.find(({ id }) => id === simulcastId);
  return record === null || target === undefined ? null : { target, stream: record.stream };
}

/** Inserts the target when the condition holds and the stream has fewer than `limit` targets. */
export const insertTargetIf = (
  db: Database,
  target: typeof simulcastTargets.$inferSelect,
  condition: SQL,
  limit: number,
) => {
  const others = db.select({ n: count() }).from(simulcastTargets).where(eq(simulcastTargets.streamId, target.streamId));
  return db
    .insert(simulcastTargets)
    .select(sql`SELECT ${columnValues(simulcastTargets, target)} WHERE ${condition} AND (${others}) < ${limit}`);
};

/** Changes the target when the condition holds. */
export const changeTargetIf = (
  db: Database,
  { id, isEnabled, metadata }: Pick<SimulcastTarget, "id" | "isEnabled" | "metadata">,
  condition: SQL,
) =>
  db
    .update(simulcastTargets)
    .set({ isEnabled, metadata })
    .where(and(eq(simulcastTargets.id, id), condition));

/** Keeps a gateway's report. */
export const keepReport = (db: Database, id: string, report: TargetReport) =>
  db.update(simulcastTargets).set({ report }).where(eq(simulcastTargets.id, id));

/** Deletes the target when the condition holds. */
export const deleteTargetIf = (db: Database, id: string, condition: SQL) =>
  db.delete(simulcastTargets).where(and(eq(simulcastTargets.id, id), condition));
