import { openDatabase } from "../../platform/database.ts";
import type { AssetStatus } from "../assets/asset-calls.ts";
import { findAssetForMachine } from "../assets/repository.ts";
import type { AssetComponents } from "./components.ts";
import { startAsset } from "./start-asset.ts";

/** For the sweep: starts the machine by the asset's id alone. Repeatable. */
export async function startById(machine: AssetComponents, assetId: string): Promise<{ status: AssetStatus }> {
  const known = machine.documents.get("asset");
  const asset = known ?? (await findAssetForMachine(openDatabase(machine.env.DB), assetId));
  return asset === null ? { status: machine.state.status } : startAsset(machine, asset);
}
