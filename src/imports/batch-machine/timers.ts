import type { TimerHandlers } from "../../platform/machine/timers.ts";
import { announceState, shownProblem } from "./announce.ts";
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
  const { documents, timers, clock } = batch;
  notePulse(batch);
  const dueMs = (documents.get("announcedAtMs") ?? 0) + PROGRESS_EVERY_MS;
  if (dueMs <= clock() && isProgress(batch)) {
    batch.commit(() => {
      documents.delete("owesProgress");
      documents.put("announcedCounts", JSON.stringify(batch.items.counts));
      announceState(batch, { type: "migration.batch.progress" });
    });
    batch.shown = shownOf(batch);
  } else if (shownOf(batch) !== batch.shown) {
    batch.commit(() => announceState(batch));
    batch.shown = shownOf(batch);
  }
  const nextMs = isProgress(batch) ? dueMs : timers.dueOf("work"); // counts change by work alone
  if (nextMs !== null) timers.schedule("show", Math.max(nextMs, clock() + SHOW_EVERY_MS));
}

const shownOf = (batch: BatchComponents): string =>
  JSON.stringify([batch.state.status, batch.items.counts, shownProblem(batch)]);

/** Whether there is news for `migration.batch.progress`. */
const isProgress = ({ state, documents, items }: BatchComponents): boolean =>
  documents.get("owesProgress") !== undefined ||
  (state.status === "running" && documents.get("announcedCounts") !== JSON.stringify(items.counts));
