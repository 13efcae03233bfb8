/** Reads views of the table one at a time, each once. */
import { askR2Sql, type AnswerRow } from "../r2-sql/ask-r2-sql.ts";
import type { Page } from "../questions/view-engine.ts";
import { type After, pageStatement, type Rows } from "./r2-statements.ts";
import type { Sources } from "./two-sources.ts";

interface Reading {
  /** With `view_id` and `view_end_ms`. */
  columns: string;
  order: Page["order"];
  rowsAtOnce: number;
}

/** Ordered by the views' ends, a page at a time. */
export async function* tablePages(
  { settings }: Sources,
  rows: Rows | null,
  { columns, order, rowsAtOnce }: Reading,
): AsyncGenerator<AnswerRow[]> {
  if (rows === null) return;
  let after: After | null = null;
  for (;;) {
    const statement: string = pageStatement(rows, { columns, order, limit: rowsAtOnce, after });
    const page: AnswerRow[] = await askR2Sql(settings, statement);
    const views = page.filter((row, index) => row["view_id"] !== page[index - 1]?.["view_id"]);
    if (views.length > 0) yield views;
    const last = page.at(-1);
    if (last === undefined || page.length < rowsAtOnce) return;
    after = { endMs: Number(last["view_end_ms"]), viewId: String(last["view_id"]) };
  }
}
