import type { Env } from "../../platform/env.ts";
import { errorFields, logWarning } from "../../platform/log.ts";
import { assetMachine } from "./asset-calls.ts";
import type { AssetForMachine } from "./repository.ts";

/** Limits concurrent starts: each creates a database file, which would slow down a burst of creations. */
const STARTS_AT_ONCE = 2;
/** The runtime cancels work 30 s after the answer of its request. A start that waited this long still has time to run. */
const MAX_WAIT_MS = 15_000;
/** A start that holds its slot this long has been cancelled, and nothing that it would have done at its end has run. */
const MAX_HOLD_MS = 30_000;

interface Slot {
  sinceMs: number;
}
const slots = new Set<Slot>();

interface Waiter {
  sinceMs: number;
  /** Null = it has waited too long. */
  settle: (slot: Slot | null) => void;
}
/** In the order of their arrival. */
const waiting = new Set<Waiter>();

/**
 * Starts an asset's machine with the asset's row, after waiting for a free slot. Never rejects: the sweep starts the machines of failed calls,
 * of calls lost with the isolate, and of those that waited too long.
 */
export async function startMachine(env: Env, asset: AssetForMachine): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<Slot | null>();
  waiting.add({ sinceMs: Date.now(), settle: resolve });
  handOutSlots();
  const slot = await promise;
  if (slot === null) return logWarning("asset.start_dropped", { assetId: asset.id, waitedMs: MAX_WAIT_MS });
  try {
    await assetMachine(env, asset.id).start(asset.id, asset);
  } catch (error) {
    logWarning("asset.start_failed", { assetId: asset.id, ...errorFields(error) });
  } finally {
    slots.delete(slot);
    handOutSlots();
  }
}

/** Without a timer for each waiter: those make each request of a burst wait for its start. */
function handOutSlots(): void {
  const nowMs = Date.now();
  for (const slot of slots) if (nowMs - slot.sinceMs >= MAX_HOLD_MS) slots.delete(slot);
  for (const waiter of waiting) {
    const isLate = nowMs - waiter.sinceMs >= MAX_WAIT_MS;
    if (!isLate && slots.size >= STARTS_AT_ONCE) return;
    waiting.delete(waiter);
    if (isLate) waiter.settle(null);
    else waiter.settle(hold(nowMs));
  }
}

function hold(sinceMs: number): Slot {
  const slot = { sinceMs };
  slots.add(slot);
  return slot;
}
