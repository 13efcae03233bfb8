import type { AssetStatus } from "../assets/asset-calls.ts";
import { leaseMs } from "../encoding/dispatcher.ts";
import { cleanUp } from "./fail-asset.ts";
import type { AssetParts } from "./parts.ts";

const PURGE_RETRY_MS = 60_000;

/**
 * Deletes the asset: cancels its jobs and purges every byte, including those of writes that are still running.
 *
 * @param delayMs until the first purge
 */
export function removeAsset(machine: AssetParts, assetId: string, delayMs = 0): { status: AssetStatus } {
  const { documents, state, timers, outbox } = machine;
  machine.copying.abort();
  state.move("remove", () => {
    documents.put("name", assetId);
    outbox.clear();
    timers.cancel("work");
  });
  documents.put("purgePass", documents.get("purgePass") ?? 1);
  timers.schedule("purge", machine.clock() + delayMs);
  return { status: state.status };
}

/** The queue's consumer has emptied the asset's prefix. A second pass follows when no late write can be running any more. */
export function onPurged(machine: AssetParts, pass: number): { done: boolean } {
  const { documents, timers } = machine;
  if (machine.state.status !== "deleted" || documents.get("purgePass") !== pass) return { done: false };
  if (pass === 1) {
    documents.put("purgePass", 2);
    timers.schedule("purge", machine.clock() + leaseMs(machine.env));
    return { done: false };
  }
  machine.commit(() => {
    timers.cancel("purge");
    machine.jobs.clear();
    machine.sentRenditions.clear();
    documents.delete("asset", "plan", "edge", "copy");
  });
  return { done: true };
}

/** Sends the current pass to the purge queue, again every minute until the consumer reports it done. */
export async function purge(machine: AssetParts): Promise<void> {
  if (machine.state.status !== "deleted") return;
  await cleanUp(machine);
  machine.timers.schedule("purge", machine.clock() + PURGE_RETRY_MS);
  await machine.env.PURGES.send({ assetId: machine.id, pass: machine.documents.get("purgePass") ?? 1 });
}
