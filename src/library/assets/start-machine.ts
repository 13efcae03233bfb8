import { callMachine } from "../../platform/machine/calls.ts";
import type { Env } from "../../platform/env.ts";
import { log } from "../../platform/log.ts";
import type { AssetForMachine } from "./repository.ts";

/** A machine's first call creates its database file: in a burst of creations that must not stand in the way of the answers. */
const STARTS_AT_ONCE = 2;
let starting = 0;
const waiting: (() => void)[] = [];

/**
 * Hands an asset to its machine, with what the creator knows of it, in turn with others that are being started. Never rejects:
 * what is lost on the way, also when this isolate ends before its turn, is started by the sweep.
 */
export async function startMachine(env: Env, asset: AssetForMachine): Promise<void> {
  if (starting >= STARTS_AT_ONCE) await new Promise<void>((turn) => waiting.push(turn));
  else starting += 1;
  try {
    await callMachine(env.ASSET_MACHINE, asset.id, "start", asset);
  } catch (error) {
    log("asset.start_failed", { assetId: asset.id, error: String(error) });
  } finally {
    const next = waiting.shift();
    if (next === undefined) starting -= 1;
    else next(); // takes over this turn
  }
}
