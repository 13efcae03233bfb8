import type { Env } from "../../platform/env.ts";
import { errorFields, logWarning } from "../../platform/log.ts";
import { assetMachine } from "./asset-calls.ts";
import type { AssetForMachine } from "./repository.ts";

/** Limits concurrent starts: each creates a database file, which would slow down a burst of creations. */
const STARTS_AT_ONCE = 2;
/** The runtime cancels work 30 s after the answer of its request. A start that waited this long still has time to run, and to free its slot. */
const MAX_WAIT_MS = 15_000;
let starting = 0;
/** In the order of their arrival. */
const waiting = new Set<(hasSlot: boolean) => void>();

/**
 * Starts an asset's machine with the asset's row, after waiting for a free slot. Never rejects: the sweep starts the machines of failed calls,
 * of calls lost with the isolate, and of those that waited too long.
 */
export async function startMachine(env: Env, asset: AssetForMachine): Promise<void> {
  if (!(await takeSlot())) return logWarning("asset.start_dropped", { assetId: asset.id, waitedMs: MAX_WAIT_MS });
  try {
    await assetMachine(env, asset.id).start(asset.id, asset);
  } catch (error) {
    logWarning("asset.start_failed", { assetId: asset.id, ...errorFields(error) });
  } finally {
    freeSlot();
  }
}

/** @returns false when no slot has become free in time */
async function takeSlot(): Promise<boolean> {
  if (starting < STARTS_AT_ONCE) {
    starting += 1;
    return true;
  }
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const settle = (hasSlot: boolean) => {
    waiting.delete(settle);
    resolve(hasSlot);
  };
  waiting.add(settle);
  const timer = setTimeout(settle, MAX_WAIT_MS, false);
  const hasSlot = await promise;
  clearTimeout(timer); // here, because a timer belongs to its request
  return hasSlot;
}

/** Hands the slot to the start that has waited longest. */
function freeSlot(): void {
  const [next] = waiting;
  if (next === undefined) starting -= 1;
  else next(true);
}
