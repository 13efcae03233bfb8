import { errorFields, log, logError } from "../../platform/log.ts";
import { viewMachine } from "../views/view-calls.ts";
import { type ForgottenViewer, hashOf } from "./forgotten-viewers.ts";
import type { StoreComponents } from "./components.ts";
import type { Forgotten } from "./store-calls.ts";

/** Views per run: each may need a call of its machine. */
const VIEWS_AT_ONCE = 100;

/** Deletes the views of a viewer that began before now: some at once, the rest by the alarm. Repeatable. */
export async function forgetViewer(
  components: StoreComponents,
  viewerId: string,
  nowMs = Date.now(),
): Promise<Forgotten> {
  const { forgotten, timers, views } = components;
  const hash = await hashOf(viewerId);
  const viewer = { viewer_id: viewerId, at_ms: nowMs };
  components.commit(() => {
    forgotten.add(viewer, hash);
    timers.schedule("forget", nowMs);
  });
  const deletedViews = await forgetSome(components, viewer).catch((error: unknown) => {
    logError("viewer.not_forgotten_yet", { ...errorFields(error) });
    return 0;
  });
  return { deletedViews, remainingViews: views.countOf(viewerId, nowMs) };
}

/** For the alarm: deletes some views of one viewer, and schedules itself while there are more. */
export async function continueForgetting(components: StoreComponents): Promise<void> {
  const viewer = components.forgotten.next();
  if (viewer === null) return;
  await forgetSome(components, viewer);
  if (components.forgotten.next() !== null) components.timers.schedule("forget", Date.now() + 1);
}

/** Calls the machines before it deletes the rows, because a repeat finds a view only by its row. @returns how many views were deleted */
async function forgetSome({ env, views, forgotten }: StoreComponents, viewer: ForgottenViewer): Promise<number> {
  const found = views.idsOf(viewer.viewer_id, viewer.at_ms, VIEWS_AT_ONCE);
  await Promise.all(found.map(({ workspaceId, viewId }) => viewMachine(env, workspaceId, viewId).forget()));
  const deleted = views.remove(found.map(({ viewId }) => viewId));
  if (found.length < VIEWS_AT_ONCE) forgotten.done(viewer);
  log("viewer.forgotten", { views: deleted, isDone: found.length < VIEWS_AT_ONCE });
  return deleted;
}
