import { literal } from "./literal.ts";

/** A forgotten viewer, by the SHA-256 of an id. Views that began afterwards are kept. */
export interface ForgottenHash {
  hash: string;
  /** Epoch ms. */
  atMs: number;
}

/** The state of a store's hand-over to the distributed table. */
export interface HandedOver {
  month: string;
  /** Rows of lower batches are readable in the table and count there; all others count in the store. 0 = nothing is handed over. */
  line: number;
  forgotten: ForgottenHash[];
}

/** The rows of a workspace in the table that count. @returns null when there are none */
export function countingRows(workspaceId: string, months: readonly HandedOver[], fromMs: number): string | null {
  const handed = months.filter(({ line }) => line > 0);
  if (handed.length === 0) return null;
  const batches = handed.map(({ month, line }) => `(month = ${literal(month)} AND batch < ${literal(line)})`);
  const forgotten = new Map<string, number>();
  for (const { hash, atMs } of months.flatMap((month) => month.forgotten))
    forgotten.set(hash, Math.max(atMs, forgotten.get(hash) ?? 0));
  return [
    `workspace_id = ${literal(workspaceId)}`,
    `view_end_ms >= ${literal(fromMs)}`,
    `(${batches.join(" OR ")})`,
    ...[...forgotten].map(([hash, atMs]) => notOf(hash, atMs)),
  ].join(" AND ");
}

/** The views after this one that count, ordered by their ends. Copies of a view are adjacent. */
export const viewsToTakeBack = (
  table: string,
  where: string,
  after: { endMs: number; viewId: string },
  limit: number,
): string =>
  `SELECT view_id, view_end_ms, record, timeline, watched, revision, batch FROM ${table} WHERE ${where}
    AND (view_end_ms > ${literal(after.endMs)} OR (view_end_ms = ${literal(after.endMs)} AND view_id > ${literal(after.viewId)}))
    ORDER BY view_end_ms, view_id LIMIT ${literal(limit)}`;

/** Counts the views of a batch once each, without those of forgotten viewers. */
export function countInBatch(
  table: string,
  of: { workspaceId: string; month: string; batch: number; forgotten: readonly ForgottenHash[] },
): string {
  const where = [
    `workspace_id = ${literal(of.workspaceId)}`,
    `month = ${literal(of.month)}`,
    `batch = ${literal(of.batch)}`,
    ...of.forgotten.map(({ hash, atMs }) => notOf(hash, atMs)),
  ].join(" AND ");
  return `WITH v AS (SELECT view_id, count(*) AS copies FROM ${table} WHERE ${where} GROUP BY view_id) SELECT count(*) AS views FROM v`;
}

const notOf = (hash: string, atMs: number) =>
  `NOT ((viewer_hash = ${literal(hash)} OR sdk_viewer_hash = ${literal(hash)}) AND view_start_ms <= ${literal(atMs)})`;
