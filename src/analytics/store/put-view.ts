import { viewerHashesOf } from "./forgotten-viewers.ts";
import type { StoreComponents } from "./components.ts";
import type { PutOutcome, ViewState } from "./store-calls.ts";

/** A Durable Object's SQLite has room for 10 GB (Cloudflare's limits). The rest is for the views that the store has, and for its other tables. */
const MAX_BYTES = 8_000_000_000;

/** Inserts a view, or replaces an earlier state of it, unless its viewer was forgotten after it began, or the store is full. Repeatable. */
export async function putView(components: StoreComponents, state: ViewState): Promise<PutOutcome> {
  const { views, forgotten, handOver, refusals } = components;
  const { view } = state;
  const hashes = await viewerHashesOf(view);
  // No await from here on: a request to forget the viewer could run in between.
  if (forgotten.has(hashes, view.viewStartMs)) {
    views.remove([view.viewId]);
    return "forgotten";
  }
  if (handOver.hasMoved(view.viewId)) return "stored";
  if (components.bytes > MAX_BYTES && !views.has(view.viewId)) {
    refusals.add({ store_full: 1 }, view.updatedAtMs);
    return "full";
  }
  views.put(state);
  return "stored";
}
