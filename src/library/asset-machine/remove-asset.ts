import type { AssetStatus } from "../assets/asset-calls.ts";
import type { AssetComponents } from "./components.ts";

/**
 * Deletes the asset: cancels its jobs and purges every byte, including those of writes that are still running.
 *
 * @param delayMs until the first purge
 */
export function removeAsset(machine: AssetComponents, assetId: string, delayMs = 0): { status: AssetStatus } {
  const { documents, state, timers, outbox } = machine;
  machine.copying.abort();
  state.move("remove", () => {
    documents.put("name", assetId);
    outbox.clear();
    timers.cancel("work", "tracks");
  });
  documents.put("purgePass", documents.get("purgePass") ?? 1);
  timers.schedule("purge", machine.clock() + delayMs);
  return { status: state.status };
}
