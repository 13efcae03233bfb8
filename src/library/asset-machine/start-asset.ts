import type { AssetStatus } from "../assets/asset-calls.ts";
import { type AssetForMachine, findAssetForMachine } from "../assets/repository.ts";
import type { AssetComponents } from "./core/components.ts";
import { openDatabase } from "../../platform/database.ts";

/**
 * Takes over an asset. A machine that is already started continues: scheduled work, such as the retry of a source, keeps its time. Repeatable.
 *
 * @param asset null = it is read from D1, unless the machine knows it
 */
export async function startAsset(
  machine: AssetComponents,
  assetId: string,
  asset: AssetForMachine | null,
): Promise<{ status: AssetStatus }> {
  const started =
    machine.documents.get("asset") ?? asset ?? (await findAssetForMachine(openDatabase(machine.env.DB), assetId));
  if (started !== null) start(machine, started);
  return { status: machine.state.status };
}

function start(machine: AssetComponents, asset: AssetForMachine): void {
  const { documents, timers, outbox } = machine;
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
}
