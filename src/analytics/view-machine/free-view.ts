import type { ViewComponents } from "./components.ts";

const DAY_MS = 24 * 3600_000;
/** Players that were offline send events up to seven days later (`event-time.ts`), and those are no new view. */
const KEEP_MS = 8 * DAY_MS;

/**
 * Plans when the machine is freed: its state says that the view has ended or is forgotten, and is needed as long as events of it can come.
 * An event that does come extends that, at most once a day.
 */
export function keepFinalState({ timers, clock }: ViewComponents): void {
  const dueMs = timers.dueOf("free") ?? 0;
  if (dueMs < clock() + KEEP_MS - DAY_MS) timers.schedule("free", clock() + KEEP_MS);
}

/** Whether nothing of the machine's storage is needed any more. */
export const isFreeable = ({ timers, clock }: ViewComponents): boolean => (timers.dueOf("free") ?? Infinity) <= clock();
