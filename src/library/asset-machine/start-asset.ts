import { openDatabase } from "../../platform/database.ts";
import type { AssetStatus } from "../assets/asset-calls.ts";
import { type AssetForMachine, findAssetForMachine } from "../assets/repository.ts";
import type { AssetParts } from "./parts.ts";

/** Starts the machine of an asset of which only the id is known, for the sweep. Repeatable. */
export async function startById(machine: AssetParts, assetId: string): Promise<{ status: AssetStatus }> {
  const known = machine.documents.get("asset");
  const asset = known ?? (await findAssetForMachine(openDatabase(machine.env.DB), assetId));
  return asset === null ? { status: machine.state.status } : startAsset(machine, asset);
}

/** Takes over an asset. On a machine that is already started, it makes pending work due now. */
export function startAsset(machine: AssetParts, asset: AssetForMachine): { status: AssetStatus } {
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
  if (machine.isProcessing) timers.bringForward("work", nowMs);
  timers.bringForward("outbox", nowMs);
  return { status: state.status };
}
