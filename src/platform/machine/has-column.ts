/** Whether a table of an object's SQLite has the column: tables of earlier releases may lack it. */
export const hasColumn = (sql: SqlStorage, table: string, column: string): boolean =>
  sql.exec("SELECT 1 FROM pragma_table_info(?) WHERE name = ?", table, column).toArray().length > 0;
