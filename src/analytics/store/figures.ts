/** Many figures of the same views at once, for the comparison of all metrics: each question alone would read all views again. */
import { quantileIn } from "./select-value.ts";
import type { ColumnFigures, Figures, Query, Wanted } from "./store-calls.ts";
import type { ViewTable } from "./view-table.ts";

/** Values in memory at the same time, 8 bytes each: Durable Objects of a class share 128 MB. */
const VALUES_AT_ONCE = 4_000_000;

/** Reads the views once for all sums, and once more for each few columns with quantiles. */
export function figuresOf(views: ViewTable, condition: Query, wanted: readonly Wanted[]): Figures {
  const sums = wanted.map(({ column, quantiles, isOfSucceeded }, index) => {
    const filter = isOfSucceeded ? " FILTER (WHERE has_failed = 0)" : "";
    const count = `count(${column})${filter} AS count_${index}`;
    return quantiles.length > 0 ? count : `${count}, total(${column})${filter} AS total_${index}`;
  });
  const select = ["count(*) AS views", "count(DISTINCT viewer_key) AS viewers", ...sums].join(", ");
  const [row = {}] = views.run({ sql: `SELECT ${select} FROM views WHERE ${condition.sql}`, values: condition.values });
  const number = (name: string) => Number(row[name] ?? 0);
  const columns = wanted.map(({ column, quantiles }, index): ColumnFigures => {
    const [total, count] = [number(`total_${index}`), number(`count_${index}`)];
    return { column, total, count, quantiles: quantiles.map(() => null) };
  });
  const ranked = columns.flatMap((figures, index) => {
    const { quantiles } = wanted[index]!;
    return quantiles.length > 0 && figures.count > 0 ? [{ figures, quantiles }] : [];
  });
  for (const portion of inPortions(ranked, ({ figures }) => figures.count)) {
    const values = readValues(
      views,
      condition,
      portion.map(({ figures }) => figures),
    );
    for (const [index, { figures, quantiles }] of portion.entries()) {
      figures.total = values[index]!.reduce((sum, value) => sum + value, 0);
      figures.quantiles = quantiles.map((share) => quantileIn(values[index]!, share));
    }
  }
  return { views: number("views"), viewers: number("viewers"), columns };
}

/** As many items as fit into memory together, at least one. */
function inPortions<Item>(items: readonly Item[], sizeOf: (item: Item) => number): Item[][] {
  const portions: Item[][] = [];
  let room = 0;
  for (const item of items) {
    const size = sizeOf(item);
    if (portions.length === 0 || size > room) {
      portions.push([]);
      room = VALUES_AT_ONCE;
    }
    portions.at(-1)!.push(item);
    room -= size;
  }
  return portions;
}

/** The values of each column that are not null, in any order. */
function readValues(views: ViewTable, condition: Query, columns: readonly ColumnFigures[]): Float64Array[] {
  const arrays = columns.map(({ count }) => new Float64Array(count));
  const filled = columns.map(() => 0);
  for (const row of views.scan(
    columns.map(({ column }) => column),
    condition,
  ))
    for (let index = 0; index < arrays.length; index += 1) {
      const value = row[index];
      if (typeof value === "number") arrays[index]![filled[index]!++] = value;
    }
  return arrays;
}
