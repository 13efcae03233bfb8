import type { StoreComponents } from "./components.ts";
import { countWatched } from "./count-watched.ts";
import type { Remainder, RemainderQuery } from "./store-calls.ts";

/** Answers questions about the views that the distributed table does not count. */
export function readRemainder(
  { views, handOver }: StoreComponents,
  { workspaceId, month, queries, watched }: RemainderQuery,
): Remainder {
  handOver.open(workspaceId, month);
  return {
    rows: queries.map((query) => views.run(query)),
    watched: watched === undefined ? null : countWatched(views, watched.condition, watched.axis, watched.grid),
    handedOver: handOver.handedOver,
  };
}
