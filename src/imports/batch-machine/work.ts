import { log } from "../../platform/log.ts";
import { CANCELLED, settleCut } from "./adopt.ts";
import { announceEnd } from "./announce.ts";
import type { BatchComponents } from "./components.ts";
import { closeWithoutCredentials } from "./open-batch-source.ts";
import { releaseSome } from "./release.ts";
import { scanStep } from "./scan.ts";
import { settleSubmitted, SETTLE_EVERY_MS } from "./settle.ts";
import { type Budget, nextSubmitMs, submitSome } from "./submit.ts";
import { noteAnswer, quietUntilMs, waitFor } from "./wait.ts";

/** An alarm works for so long, and is set again: the other timers of the object then have their turn. */
const TURN_MS = 5_000;
/** Items of a turn, besides the 20 that may end in its last step. An invocation may make 1,000 subrequests, and an item needs up to twelve at a time. */
const TURN_ITEMS = 60;
/** Pages of a turn. */
const TURN_STEPS = 100;
const LEAST_WAIT_MS = 200;
/** Between looks at media, also while the database does not answer. */
const LEAST_LOOK_MS = 1000;
/** Between looks at what others change: media, and the encoders' room. A pause that the source asks for is slept through. */
const MOST_WAIT_MS = 60_000;

/** Scans, submits and follows items for one turn. */
export async function work(batch: BatchComponents): Promise<void> {
  await closeWithoutCredentials(batch);
  const untilMs = batch.clock() + TURN_MS;
  let items = 0;
  for (let steps = 0; steps < TURN_STEPS && items < TURN_ITEMS && batch.clock() < untilMs; steps++) {
    const done = await step(batch, { items: TURN_ITEMS - items, untilMs });
    items += done;
    if (done > 0) continue;
    const nextMs = nextLookMs(batch);
    if (nextMs === null) return batch.timers.cancel("work");
    if (nextMs > batch.clock()) return batch.timers.schedule("work", nextMs);
  }
  batch.timers.schedule("work", batch.clock() + 1); // later than this turn was due: an equal time would count as done
}

/** @returns how many items or pages were worked on; 0 = `nextLookMs` says when there is something to do again */
async function step(batch: BatchComponents, budget: Budget): Promise<number> {
  try {
    if (!batch.isRecovered) await settleCut(batch);
    batch.isRecovered = true;
    switch (batch.state.status) {
      case "scanning":
        return await scan(batch);
      case "running":
        return await run(batch, budget);
      case "paused":
        return await rest(batch);
      case "cancelled":
        return await windUp(batch);
      case "done":
      case "scanned":
        return 0;
    }
  } catch (error) {
    waitFor(batch, error);
    return 0;
  }
}

async function scan(batch: BatchComponents): Promise<number> {
  if (quietUntilMs(batch) !== null) return 0;
  await scanStep(batch);
  noteAnswer(batch);
  return 1;
}

async function run(batch: BatchComponents, budget: Budget): Promise<number> {
  const maySubmit = quietUntilMs(batch) === null;
  // Together: a look at media waits for the database, and the next submissions need not wait for that.
  const [settling, submitting] = await Promise.allSettled([
    settleSubmitted(batch),
    maySubmit ? submitSome(batch, budget) : 0,
  ]);
  const settled = valueOf(settling);
  const submitted = valueOf(submitting);
  const released = quietUntilMs(batch) === null ? await releaseSome(batch) : 0;
  if (settled + submitted + released === 0 && isOver(batch)) {
    batch.state.move("finish", (_, state) => announceEnd(batch, state));
    log("import.done", { batchId: batch.order.batchId, workspaceId: batch.order.workspaceId, ...batch.items.counts });
  }
  return settled + submitted + released;
}

/** @throws why it was rejected */
function valueOf<T>(result: PromiseSettledResult<T>): T {
  if (result.status === "rejected") throw result.reason;
  return result.value;
}

/** What goes on while a batch is paused: media are followed, and their source is left as it was unless that is why the batch was paused. */
async function rest(batch: BatchComponents): Promise<number> {
  const settled = await settleSubmitted(batch);
  const mayAsk = isPausedByOwner(batch) && quietUntilMs(batch) === null;
  return settled + (mayAsk ? await releaseSome(batch) : 0);
}

const isPausedByOwner = ({ documents }: BatchComponents): boolean => documents.get("problem") === undefined;

/** After a cancel: what was submitted is followed to its end, and the source is left as it was. */
async function windUp(batch: BatchComponents): Promise<number> {
  const { items, documents } = batch;
  if (documents.get("completedAtMs") !== undefined) return 0;
  items.cancelPending(CANCELLED); // a page that came meanwhile, or a submission that was cut off
  const settled = await settleSubmitted(batch);
  const released = quietUntilMs(batch) === null ? await releaseSome(batch) : 0;
  if (isOver(batch)) batch.commit(() => announceEnd(batch, "cancelled"));
  return settled + released;
}

const isOver = ({ items }: BatchComponents): boolean => {
  const { pending, submitted } = items.counts;
  return pending + submitted === 0 && !items.owesReleases;
};

const clamp = (value: number, least: number, most: number): number => Math.min(most, Math.max(least, value));

/** When something may have to be done, epoch ms; null = nothing until a command. */
function nextLookMs(batch: BatchComponents): number | null {
  const { state, items, documents, clock } = batch;
  const nowMs = clock();
  const askMs = quietUntilMs(batch) ?? nowMs;
  const mostMs = nowMs + MOST_WAIT_MS;
  const { submitted } = items.counts;
  const lookMs = submitted === 0 ? Infinity : clamp(items.nextDueMs("submitted"), nowMs + LEAST_LOOK_MS, mostMs);
  const releaseMs = items.owesReleases ? Math.max(askMs, nowMs + SETTLE_EVERY_MS) : Infinity;
  const soon = (...atMs: number[]) => {
    const firstMs = Math.min(...atMs);
    return Math.max(nowMs + LEAST_WAIT_MS, firstMs === Infinity ? mostMs : firstMs);
  };
  switch (state.status) {
    case "scanning":
      return askMs;
    case "running":
      return soon(lookMs, releaseMs, Math.max(Math.min(nextSubmitMs(batch), mostMs), askMs));
    case "paused": {
      const owes = isPausedByOwner(batch) && items.releasable(1).length > 0;
      return submitted === 0 && !owes ? null : soon(lookMs, owes ? releaseMs : Infinity);
    }
    case "cancelled":
      if (documents.get("completedAtMs") !== undefined) return null;
      return soon(lookMs, releaseMs);
    case "done":
    case "scanned":
      return null;
  }
}
