import { Problem } from "../../platform/http/problems.ts";
import { countQuery, LIST_COLUMNS, listQuery } from "../questions/embedded-sql.ts";
import type { Scope } from "../questions/scope.ts";
import type { Page } from "../questions/view-engine.ts";
import type { Row } from "../store/store-calls.ts";
import { countStatement } from "./r2-statements.ts";
import { tablePages } from "./read-table.ts";
import { askRemainder, askTable, handedOverIn, remainderOf, rowsBeside, type Sources } from "./two-sources.ts";

/** R2 SQL has no OFFSET, so the views before a page are read and skipped. */
const MAX_ROWS = 10_000;

export async function countDistributed(sources: Sources, scope: Scope): Promise<number> {
  const remainders = await askRemainder(sources, scope, { queries: [countQuery(remainderOf(scope))] });
  const [row] = await askTable(sources, rowsBeside(sources, handedOverIn(remainders), scope), countStatement);
  const here = remainders.reduce((sum, { rows }) => sum + Number(rows[0]![0]!["count"]), 0);
  return here + Number(row?.["view_count"] ?? 0);
}

/**
 * One page of views by the time at which they ended.
 *
 * @throws {Problem} validation_failed beyond the first 10,000 views
 */
export async function listDistributed(
  sources: Sources,
  scope: Scope,
  { page, limit, order }: Page,
): Promise<{ rows: Row[]; total: number }> {
  const until = page * limit;
  if (until > MAX_ROWS) throw tooFar();
  const condition = remainderOf(scope);
  const queries = [countQuery(condition), listQuery(condition, order, until, 0)];
  const remainders = await askRemainder(sources, scope, { queries });
  const rows = rowsBeside(sources, handedOverIn(remainders), scope);
  const [count] = await askTable(sources, rows, countStatement);
  const found: Row[] = remainders.flatMap((remainder) => remainder.rows[1]!);
  const here = remainders.reduce((sum, remainder) => sum + Number(remainder.rows[0]![0]!["count"]), 0);
  let read = 0;
  const reading = { columns: LIST_COLUMNS, order, rowsAtOnce: Math.min(until, 1000) + 1 };
  for await (const some of tablePages(sources, rows, reading)) {
    found.push(...(some as Row[]));
    read += some.length;
    if (read >= until) break;
  }
  const sorted = found.toSorted((one, other) => compare(one, other, order));
  return { rows: sorted.slice(until - limit, until), total: here + Number(count?.["view_count"] ?? 0) };
}

function compare(one: Row, other: Row, order: Page["order"]): number {
  const byEnd = Number(one["view_end_ms"]) - Number(other["view_end_ms"]);
  if (byEnd !== 0) return order === "asc" ? byEnd : -byEnd;
  return String(one["view_id"]) < String(other["view_id"]) ? -1 : 1;
}

function tooFar(): Problem {
  const hint = `the first ${MAX_ROWS} views can be paged through; an export has all of them`;
  return new Problem("validation_failed", hint, { fields: [{ field: "offset", message: "is invalid", hint }] });
}
