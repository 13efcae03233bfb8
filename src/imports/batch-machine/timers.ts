import type { TimerHandlers } from "../../platform/machine/timers.ts";
import { announceState } from "./announce.ts";
import type { BatchComponents, BatchTimer } from "./components.ts";
import { notePulse } from "./view.ts";
import { work } from "./work.ts";

const SHOW_EVERY_MS = 5_000;
/** `migration.batch.progress` at most. */
const PROGRESS_EVERY_MS = 60_000;

export function batchTimers(batch: BatchComponents): TimerHandlers<BatchTimer> {
  const handlers: Record<BatchTimer, () => Promise<unknown>> = {
    work: () => work(batch),
    show: async () => show(batch),
    outbox: () => batch.outbox.drain(),
  };
  return { run: async (timer) => void (await handlers[timer]()) };
}

/** Writes the counts to D1 while they change, with an event once a minute. */
function show(batch: BatchComponents): void {
  const { state, documents, timers, clock, items } = batch;
  const isMoving = state.status === "scanning" || state.status === "running";
  notePulse(batch);
  const shown = JSON.stringify([items.counts, documents.get("problem") ?? null]);
  if (shown !== batch.shown) {
    const sinceMs = clock() - (documents.get("announcedAtMs") ?? 0);
    const isDue = state.status === "running" && sinceMs >= PROGRESS_EVERY_MS;
    batch.commit(() => announceState(batch, { type: isDue ? "migration.batch.progress" : null }));
    batch.shown = shown;
  }
  if (isMoving) timers.schedule("show", clock() + SHOW_EVERY_MS);
}
