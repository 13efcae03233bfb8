import { viewerHashesOf } from "./forgotten-viewers.ts";
import type { StoreComponents } from "./components.ts";
import type { ViewState } from "./store-calls.ts";

/** Inserts a view, or replaces an earlier state of it, unless its viewer was forgotten after it began. Repeatable. */
export async function putView(
  { views, forgotten, handOver }: StoreComponents,
  state: ViewState,
): Promise<{ isForgotten: boolean }> {
  const { view } = state;
  const hashes = await viewerHashesOf(view);
  // No await from here on: a request to forget the viewer could run in between.
  const isForgotten = forgotten.has(hashes, view.viewStartMs);
  if (isForgotten) views.remove([view.viewId]);
  else if (!handOver.hasMoved(view.viewId)) views.put(state);
  return { isForgotten };
}
