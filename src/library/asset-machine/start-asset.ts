import type { AssetStatus } from "../assets/asset-calls.ts";
import type { AssetForMachine } from "../assets/repository.ts";
import type { AssetComponents } from "./components.ts";

/** Takes over an asset. A machine that is already started continues: scheduled work, such as the retry of a source, keeps its time. */
export function startAsset(machine: AssetComponents, asset: AssetForMachine): { status: AssetStatus } {
  const { documents, state, timers, outbox } = machine;
  const nowMs = machine.clock();
  if (machine.isProcessing && documents.get("asset") === undefined) {
    machine.commit(() => {
      documents.put("name", asset.id);
      documents.put("asset", asset);
      documents.put("stage", "created");
      outbox.enqueue({ kind: "started", payload: { atMs: nowMs } });
    });
  }
  if (machine.isProcessing && !timers.isScheduled("work")) timers.schedule("work", nowMs);
  timers.bringForward("outbox", nowMs); // also sets the alarm again
  return { status: state.status };
}
