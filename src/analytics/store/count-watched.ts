import { IntervalCounts, type IntervalGrid, type Watched } from "./interval-counts.ts";
import type { Query } from "./store-calls.ts";
import type { ViewTable } from "./view-table.ts";

/** Counts the watched intervals of the views that satisfy the condition. Views that showed no picture do not count. */
export function countWatched(views: ViewTable, condition: Query, axis: "media" | "clock", grid: IntervalGrid): Watched {
  const counts = new IntervalCounts(grid);
  for (const ranges of views.watched(condition))
    counts.add(
      ranges.map(([mediaFromMs, mediaToMs, fromMs, toMs]) =>
        axis === "media" ? [mediaFromMs, mediaToMs] : [fromMs, toMs],
      ),
    );
  return counts.read();
}
