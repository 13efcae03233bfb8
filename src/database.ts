import { drizzle } from "drizzle-orm/d1";
import * as tables from "./tables.ts";

const open = (binding: D1Database) => drizzle(binding, { schema: tables, casing: "snake_case" });
export type Database = ReturnType<typeof open>;

/** One handle for each binding: making one walks every table, which took longer than what most requests ask of it. */
const handles = new WeakMap<D1Database, Database>();

/** The catalogue in D1. No interactive transactions: what belongs together travels in one `batch`. */
export function openDatabase(binding: D1Database): Database {
  let handle = handles.get(binding);
  if (handle === undefined) {
    handle = open(binding);
    handles.set(binding, handle);
  }
  return handle;
}
