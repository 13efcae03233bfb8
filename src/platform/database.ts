import { drizzle } from "drizzle-orm/d1";
import type { BatchItem } from "drizzle-orm/batch";

const open = (binding: D1Database) => drizzle(binding, { casing: "snake_case" });
export type Database = ReturnType<typeof open>;

/** One handle per binding: creating one visits every table, which takes longer than most requests' queries. */
const handles = new WeakMap<D1Database, Database>();

/** The catalogue in D1. D1 has no interactive transactions: related statements are sent in one `batch`. */
export function openDatabase(binding: D1Database): Database {
  let handle = handles.get(binding);
  if (handle === undefined) {
    handle = open(binding);
    handles.set(binding, handle);
  }
  return handle;
}

/** A statement of a commit: a drizzle query, or raw SQL by `db.run(sql`…`)` and `db.all(sql`…`)`. */
export type Statement = BatchItem<"sqlite">;

/** Executes the statements in order, atomically. drizzle's own batch does not support raw SQL with parameters (0.45, D1). */
export async function commit(binding: D1Database, statements: Statement[]): Promise<D1Result[]> {
  if (statements.length === 0) return [];
  return await binding.batch(
    statements.map((statement) => {
      const query = statement as unknown as BuiltQuery | RawQuery;
      const { sql, params } = "toSQL" in query ? query.toSQL() : query.getQuery();
      return binding.prepare(sql).bind(...params);
    }),
  );
}

interface BuiltQuery {
  toSQL(): Query;
}
interface RawQuery {
  getQuery(): Query;
}
interface Query {
  sql: string;
  params: unknown[];
}
