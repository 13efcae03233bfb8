import { log } from "../../platform/log.ts";
import type { StoreComponents } from "./components.ts";
import { retentionMs, SWEEP_EVERY_MS } from "./retention.ts";

const DAY_MS = 24 * 3600_000;
const LONGEST_MONTH_MS = 31 * DAY_MS;
/** A run of the alarm deletes at most this many views; the next one follows at once. */
const VIEWS_AT_ONCE = 2000;

/** Deletes expired views, and schedules the next run. */
export function sweepStore(
  { env, views, forgotten, refusals, eventPlaces, timers, handOver }: StoreComponents,
  nowMs = Date.now(),
): void {
  const deleted = views.removeEndedBefore(nowMs - retentionMs(env), VIEWS_AT_ONCE);
  if (deleted > 0) log("view_store.swept", { views: deleted });
  forgotten.deleteOld(nowMs, handOver.isOpen ? retentionMs(env) : 0);
  refusals.deleteBefore(nowMs - retentionMs(env));
  eventPlaces.deleteBefore(nowMs - DAY_MS);
  timers.schedule("sweep", nowMs + (deleted < VIEWS_AT_ONCE ? SWEEP_EVERY_MS : 1));
}

/** Whether the store has no data that it must keep. */
export const isEmptyStore = (components: StoreComponents, nowMs = Date.now()): boolean =>
  hasNothing(components) && !hasHandedOver(components, nowMs);

const hasNothing = ({ views, forgotten, refusals, eventPlaces }: StoreComponents): boolean =>
  views.isEmpty && forgotten.isEmpty && refusals.isEmpty && eventPlaces.isEmpty;

/** Only the store knows which rows of the table count. */
function hasHandedOver({ env, handOver }: StoreComponents, nowMs: number): boolean {
  if (!handOver.isOpen) return false;
  const { month, line } = handOver.state;
  return line > 0 && Date.parse(`${month}-01T00:00:00Z`) + LONGEST_MONTH_MS + retentionMs(env) > nowMs;
}
