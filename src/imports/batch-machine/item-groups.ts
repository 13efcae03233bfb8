/** Items of a batch grouped for its report. Reads every item of the states in question. */
import type { ItemState } from "../batches/batch-calls.ts";

interface Examples {
  first: string;
  last: string;
}

const withExamples = <Row extends Examples>({ first, last, ...row }: Row) => ({
  ...row,
  examples: [...new Set([first, last])],
});

/** Failed, skipped, excluded and cancelled items by their reason, the most frequent first. */
export const reasonsOf = (sql: SqlStorage, limit: number) =>
  sql
    .exec<{ status: ItemState; code: string; message: string; items: number; first: string; last: string }>(
      `SELECT status, coalesce(error_code, '') AS code, coalesce(error_message, '') AS message, count(*) AS items,
         min(source_id) AS first, max(source_id) AS last
       FROM items WHERE status IN ('failed', 'skipped', 'excluded', 'cancelled') GROUP BY status, error_code, error_message
       ORDER BY items DESC LIMIT ?`,
      limit,
    )
    .toArray()
    .map(withExamples);

/** What media do not have as the source had it, the most frequent first. */
export const differencesOf = (sql: SqlStorage, limit: number) =>
  sql
    .exec<{ field: string; message: string; items: number; first: string; last: string }>(
      `SELECT json_extract(one.value, '$.field') AS field, json_extract(one.value, '$.message') AS message, count(*) AS items,
         min(source_id) AS first, max(source_id) AS last
       FROM items, json_each(items.differences) AS one WHERE items.differences IS NOT NULL
       GROUP BY field, message ORDER BY items DESC LIMIT ?`,
      limit,
    )
    .toArray()
    .map(withExamples);
