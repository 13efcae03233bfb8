/** The differences between the SQL of the two engines. Pure. */
import { literal } from "../r2-sql/literal.ts";
import type { Query } from "../store/store-calls.ts";
import type { GroupKey } from "./group-key.ts";

export interface Dialect {
  /** @returns the placeholder or literal of the value */
  value(value: string | number, values: Query["values"]): string;
  no: string;
  /** An expression whose value identifies the group of a view. */
  key(key: GroupKey): string;
}

/** SQLite of a Durable Object. Values are bound. */
export const SQLITE: Dialect = {
  value: (value, values) => {
    values.push(value);
    return "?";
  },
  no: "0",
  key: (key) => {
    if (key.by === "all") return "NULL";
    if (key.by === "dimension") return key.dimension;
    return `CAST(view_end_ms / ${key.intervalMs} AS INTEGER) * ${key.intervalMs}`;
  },
};

/** R2 SQL. Intervals use `floor`, because a cast truncates in DataFusion but rounds in other engines. */
export const R2_SQL: Dialect = {
  value: (value) => literal(value),
  no: "false",
  key: (key) => {
    if (key.by === "all") return "0";
    if (key.by === "dimension") return key.dimension;
    return `floor(view_end_ms / ${key.intervalMs}) * ${key.intervalMs}`;
  },
};
