import { Problem } from "../../platform/http/problems.ts";
import type { GroupKey } from "../questions/group-key.ts";
import type { Scope } from "../questions/scope.ts";
import type { Group } from "../questions/view-engine.ts";

const LENGTHS_MS = { minute: 60_000, ten_minutes: 600_000, hour: 3_600_000, day: 86_400_000 };
export type Interval = keyof typeof LENGTHS_MS;
export const INTERVALS = Object.keys(LENGTHS_MS) as [Interval, ...Interval[]];
/** Thirty days of minutes. */
const MAX_INTERVALS = 43_201;

export const byInterval = (interval: Interval): GroupKey => ({ by: "interval", intervalMs: LENGTHS_MS[interval] });

/**
 * One row for each interval of a time span.
 *
 * @throws {Problem} validation_failed when there are too many
 */
export function fillIntervals({ fromMs, toMs }: Scope, interval: Interval, groups: readonly Group[]) {
  const lengthMs = LENGTHS_MS[interval];
  const firstMs = Math.floor(fromMs / lengthMs) * lengthMs;
  const count = Math.ceil((toMs - firstMs) / lengthMs);
  if (count > MAX_INTERVALS) {
    const hint = "must be longer for this time span";
    throw new Problem("validation_failed", hint, { fields: [{ field: "groupBy", message: "is invalid", hint }] });
  }
  const known = new Map(groups.map((group) => [Number(group.key), group]));
  return Array.from({ length: count }, (_, index) => {
    const atMs = firstMs + index * lengthMs;
    const { value = null, views = 0 } = known.get(atMs) ?? {};
    return {
      intervalTime: new Date(atMs).toISOString().replace(".000Z", "Z"),
      metricValue: value,
      numberOfViews: views,
    };
  });
}
