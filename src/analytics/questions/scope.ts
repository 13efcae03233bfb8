import type { FieldProblem } from "../../platform/http/hints/field-problem.ts";
import { Problem } from "../../platform/http/problems.ts";
import { isDimension } from "../store/dimensions.ts";
import type { Query } from "../store/store-calls.ts";
import { type Dialect, SQLITE } from "./dialect.ts";

/** The views that a question covers, by the time of their end or last activity. */
export interface Scope {
  /** Epoch ms, whole seconds; the end is not included. */
  fromMs: number;
  toMs: number;
  filters: Filter[];
  /** Only views that have not ended. */
  isRunning?: true;
}

export interface Filter {
  dimension: string;
  /** "" = views without a value. */
  value: string;
  isExcluded: boolean;
  /** Comes from another parameter than `filterby`. It restricts the question further, instead of being an alternative. */
  isSeparate?: true;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
export const TIMESPANS = {
  "60:minutes": 60 * MINUTE_MS,
  "6:hours": 6 * HOUR_MS,
  "24:hours": DAY_MS,
  "3:days": 3 * DAY_MS,
  "7:days": 7 * DAY_MS,
  "30:days": 30 * DAY_MS,
};
const DEFAULT_TIMESPAN = "24:hours";
/** A Durable Object binds at most 100 values in a statement. */
export const MAX_FILTERS = 50;
const HINT = `must be one of ${Object.keys(TIMESPANS).join(", ")}, or be given twice: the start and the end in epoch seconds`;

/** The query parameters with the time span and the filters. */
interface Names {
  timespan: string;
  filterby: string;
}
const IN_QUERY: Names = { timespan: "timespan[]", filterby: "filterby[]" };

/**
 * @param spans the values of `timespan[]`, @param filters those of `filterby[]`
 * @throws {Problem} invalid_timespan; validation_failed
 */
export function readScope(
  spans: readonly string[],
  filters: readonly string[],
  nowMs: number,
  names = IN_QUERY,
): Scope {
  return { ...readTimespan(spans, nowMs, names), filters: readFilters(filters, names) };
}

function readTimespan(spans: readonly string[], nowMs: number, names: Names): Pick<Scope, "fromMs" | "toMs"> {
  if (spans.length <= 1) {
    const lengthMs = Object.entries(TIMESPANS).find(([name]) => name === (spans[0] ?? DEFAULT_TIMESPAN))?.[1];
    if (lengthMs === undefined) throw invalidTimespan(names);
    const toMs = Math.ceil(nowMs / 1000) * 1000;
    return { fromMs: toMs - lengthMs, toMs };
  }
  const [from = NaN, to = NaN, ...more] = spans.map((text) => (/^\d{1,11}$/.test(text) ? Number(text) : NaN));
  if (!(from <= to) || more.length > 0) throw invalidTimespan(names);
  return { fromMs: from * 1000, toMs: to * 1000 };
}

const invalidTimespan = ({ timespan }: Names) =>
  new Problem("invalid_timespan", HINT, { fields: [{ field: timespan, message: "is invalid", hint: HINT }] });

interface FilterRules {
  /** The query parameter. */
  filterby: string;
  /** The dimensions that are allowed; default: all. */
  dimensions?: readonly string[];
}

/** @throws {Problem} validation_failed */
export function readFilters(texts: readonly string[], { filterby, dimensions }: FilterRules): Filter[] {
  const isAllowed = (name: string) => dimensions?.includes(name) ?? isDimension(name);
  const among = dimensions?.join(", ") ?? "the dimensions of GET /v1/data/dimensions";
  const hint = `must be dimension:value or !dimension:value, with one of ${among}`;
  const fields: FieldProblem[] = [];
  const filters = texts.map((text) => {
    const isExcluded = text.startsWith("!");
    const [dimension = "", ...rest] = text.slice(isExcluded ? 1 : 0).split(":");
    if (rest.length === 0 || !isAllowed(dimension)) fields.push({ field: filterby, message: "is invalid", hint });
    return { dimension, value: rest.join(":"), isExcluded };
  });
  if (filters.length > MAX_FILTERS)
    fields.push({ field: filterby, message: "is invalid", hint: `must be given at most ${MAX_FILTERS} times` });
  if (fields.length > 0)
    throw new Problem("validation_failed", "a filter is not valid", { fields: fields.slice(0, 1) });
  return filters;
}

/**
 * The condition of a question in SQL. Values of one dimension are joined by OR, dimensions by AND. Dimensions are columns; the dialect writes
 * the values.
 */
export function conditionOf(scope: Scope, dialect: Dialect = SQLITE): Query {
  const values: Query["values"] = [];
  const [from, to] = [scope.fromMs, scope.toMs].map((ms) => dialect.value(ms, values));
  const filters = filtersOf(scope, dialect);
  return {
    sql: `view_end_ms >= ${from} AND view_end_ms < ${to}${filters.sql === ALL ? "" : ` AND ${filters.sql}`}`,
    values: [...values, ...filters.values],
  };
}

/** The condition of every view. */
const ALL = "true";

/** The condition without the time span. */
export function filtersOf({ filters, isRunning }: Omit<Scope, "fromMs" | "toMs">, dialect: Dialect = SQLITE): Query {
  const values: Query["values"] = [];
  const write = (value: string | number) => dialect.value(value, values);
  const parts: string[] = [];
  if (isRunning === true) parts.push("is_final = 0");
  const alike = Map.groupBy(filters, ({ dimension, isExcluded, isSeparate = false }) =>
    [dimension, isExcluded, isSeparate].join(),
  );
  for (const group of alike.values()) {
    const { dimension: column, isExcluded } = group[0]!;
    const given = group.map(({ value }) => value).filter((value) => value !== "");
    const alternatives = [
      ...(given.length > 0 ? [`${column} IN (${given.map(write).join(", ")})`] : []),
      ...(given.length < group.length ? [`${column} IS NULL`] : []),
    ].join(" OR ");
    parts.push(isExcluded ? `NOT coalesce(${alternatives}, ${dialect.no})` : `(${alternatives})`);
  }
  return { sql: parts.length === 0 ? ALL : parts.join(" AND "), values };
}
