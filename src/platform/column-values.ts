import { getTableColumns, type SQL, sql } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";

/** The values of a row in the order of the table's columns, for `INSERT … SELECT`. Absent ones are null. */
export const columnValues = <Table extends SQLiteTable>(table: Table, row: Table["$inferSelect"]): SQL =>
  sql.join(
    Object.entries(getTableColumns(table)).map(([name, column]) =>
      sql.param((row as Record<string, unknown>)[name] ?? null, column),
    ),
    sql`, `,
  );
