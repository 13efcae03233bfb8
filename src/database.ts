import { drizzle } from "drizzle-orm/d1";
import * as tables from "./tables.ts";

/** The catalogue in D1. No interactive transactions: what belongs together travels in one `batch`. */
export const openDatabase = (binding: D1Database) => drizzle(binding, { schema: tables, casing: "snake_case" });
export type Database = ReturnType<typeof openDatabase>;
