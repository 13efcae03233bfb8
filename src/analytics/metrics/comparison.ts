import { z } from "@hono/zod-openapi";
import { type Measurement, METRICS, quantileOf } from "../questions/metrics.ts";
import type { Scope } from "../questions/scope.ts";
import type { ViewEngine } from "../questions/view-engine.ts";
import type { Figures, Wanted } from "../store/store-calls.ts";
import { type Branch, SCORES, TREE, type Type, TYPICAL } from "./comparison-tree.ts";

interface Item {
  value: number | null;
  type: Type;
  name: string;
  metric: string;
  measurement: Measurement | null;
  items: Item[] | null;
}

export const ComparisonItem: z.ZodType<Item> = z
  .object({
    value: z.number().nullable(),
    type: z.enum(["number", "milliseconds", "percentage", "mbps"]),
    name: z.string(),
    metric: z.string(),
    measurement: z.string().nullable(),
    get items() {
      return z.array(ComparisonItem).nullable();
    },
  })
  .openapi("ComparisonItem") as z.ZodType<Item>;

const QUANTILES = TYPICAL;

/** The figures of each column that the tree needs. */
const WANTED: Wanted[] = [...Map.groupBy(leavesOf(TREE), ({ metric }) => metric)].flatMap(([metric, leaves]) => {
  if (metric === "views" || metric === "unique_viewers") return [];
  const { column } = METRICS[metric];
  const isRanked = leaves.some(({ measurement }) => quantileOf(measurement ?? "avg") !== null);
  return [
    { column, quantiles: isRanked ? QUANTILES.map((one) => quantileOf(one)!) : [], isOfSucceeded: SCORES.has(metric) },
  ];
});

function leavesOf(branches: readonly Branch[]): Branch[] {
  return branches.flatMap((branch) => [branch, ...leavesOf(branch.items ?? [])]);
}

/** All metrics of the views in scope. Scores are averages over views that did not fail. */
export async function comparisonOf(engine: ViewEngine, scope: Scope): Promise<Item[]> {
  const valueOf = valuesIn(await engine.figures(scope, WANTED));
  const itemsOf = (branches: readonly Branch[]): Item[] =>
    branches.map(({ type, name, metric, shownAs, measurement, items }) => ({
      value: valueOf({ metric, measurement }),
      type,
      name,
      metric: shownAs ?? metric,
      measurement,
      items: items === undefined ? null : itemsOf(items),
    }));
  return itemsOf(TREE);
}

/** @returns the value of a leaf or branch of the tree */
function valuesIn({ views, viewers, columns }: Figures) {
  const byColumn = new Map(columns.map((figures) => [figures.column, figures]));
  return ({ metric, measurement }: Pick<Branch, "metric" | "measurement">): number | null => {
    if (metric === "views") return views;
    if (metric === "unique_viewers") return viewers;
    const { total, count, quantiles } = byColumn.get(METRICS[metric].column)!;
    const quantile = QUANTILES.findIndex((one) => one === measurement);
    if (quantile >= 0) return quantiles[quantile] ?? null;
    if (count === 0) return null;
    return measurement === "sum" ? total : total / count;
  };
}
