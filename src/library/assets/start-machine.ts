import { callMachine } from "../../platform/machine/calls.ts";
import type { Env } from "../../platform/env.ts";
import { errorFields, logWarning } from "../../platform/log.ts";
import type { AssetForMachine } from "./repository.ts";

/** Limits concurrent starts: each creates a database file, which would slow down a burst of creations. */
const STARTS_AT_ONCE = 2;
let starting = 0;
const waiting: (() => void)[] = [];

/**
 * Starts an asset's machine with the asset's row, after waiting for a free slot. Never rejects: the sweep starts the machines of failed calls
 * and of calls lost with the isolate.
 */
export async function startMachine(env: Env, asset: AssetForMachine): Promise<void> {
  if (starting >= STARTS_AT_ONCE) await new Promise<void>((turn) => waiting.push(turn));
  else starting += 1;
  try {
    await callMachine(env.ASSET_MACHINE, asset.id, "start", asset);
  } catch (error) {
    logWarning("asset.start_failed", { assetId: asset.id, ...errorFields(error) });
  } finally {
    const next = waiting.shift();
    if (next === undefined) starting -= 1;
    else next(); // hands its slot to the next waiter
  }
}
