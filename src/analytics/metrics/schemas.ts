import { z } from "@hono/zod-openapi";
import { DIMENSIONS } from "../store/dimensions.ts";
import { MEASUREMENTS, METRIC_NAMES } from "../questions/metrics.ts";
import { TIMESPANS } from "../questions/scope.ts";

const repeatable = (description: string) =>
  z
    .union([z.string(), z.array(z.string())])
    .optional()
    .transform((given) => [given ?? []].flat())
    .openapi({ type: "array", items: { type: "string" }, description });

/** Which views a question is about. */
export const scopeQuery = {
  "timespan[]": repeatable(
    `One of ${Object.keys(TIMESPANS).join(", ")} (default 24:hours), or twice: the start and the end in epoch seconds`,
  ),
  "filterby[]": repeatable(
    "dimension:value, or !dimension:value to exclude; several values of a dimension are alternatives",
  ),
};
export const ScopeQuery = z.object(scopeQuery);

export const limitQuery = (byDefault: number, description = "Rows") =>
  z.coerce.number().int().min(1).max(50).default(byDefault).openapi({ description });
export const pageNumber = z.coerce
  .number()
  .int()
  .min(1)
  .max(1_000_000_000)
  .default(1)
  .openapi({ description: "Number of the page, counted from 1" });
export const SortOrder = z.enum(["asc", "desc"]).default("asc");
export const MeasurementName = z.enum(MEASUREMENTS).default("avg");
export const DimensionName = z.enum(DIMENSIONS as [string, ...string[]]);
export const MetricParams = z.object({ metricId: z.enum(METRIC_NAMES) });

export const Timespan = z
  .array(z.int())
  .openapi("Timespan", { description: "From and to, epoch seconds", example: [1_779_195_600, 1_779_282_000] });
export const TimespanMs = z.array(z.int()).openapi("TimespanMs", {
  description: "From and to, epoch milliseconds",
  example: [1_779_195_600_000, 1_779_282_000_000],
});
export const Aggregation = z.object({ aggregation: z.literal("view_end") });
export const AGGREGATION = { aggregation: "view_end" } as const;

const seconds = (ms: number) => Math.floor(ms / 1000);
export const timespanOf = ({ fromMs, toMs }: { fromMs: number; toMs: number }) => [seconds(fromMs), seconds(toMs)];
