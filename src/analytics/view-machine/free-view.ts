import type { ViewComponents } from "./components.ts";

const DAY_MS = 24 * 3600_000;
/** Players that were offline send events up to seven days later (`event-time.ts`); those must not begin a new view. */
const KEEP_MS = 8 * DAY_MS;

/**
 * Schedules the deletion of the machine's storage. Its state, which says that the view has ended or is forgotten, is needed as long as events can
 * arrive. A late event extends that time, at most once a day.
 */
export function keepFinalState({ timers, clock }: ViewComponents): void {
  const dueMs = timers.dueOf("free") ?? 0;
  if (dueMs < clock() + KEEP_MS - DAY_MS) timers.schedule("free", clock() + KEEP_MS);
}

/** Whether the machine's storage is no longer needed. */
export const isFreeable = ({ timers, clock }: ViewComponents): boolean => (timers.dueOf("free") ?? Infinity) <= clock();
