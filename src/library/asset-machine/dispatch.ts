import { ENCODER_LOST } from "../assets/asset-error.ts";
import { type DispatchContext, dispatchJobs } from "../encoding/dispatcher.ts";
import { failAsset } from "./fail-asset.ts";
import { finishAsset } from "./finish-asset.ts";
import type { AssetComponents } from "./components.ts";

/** What jobs on the asset's source have in common. */
export const contextOfSource = ({ asset, documents }: AssetComponents): DispatchContext => ({
  assetId: asset.id,
  publicUrl: asset.publicUrl,
  clip: { startMs: asset.clipStartMs, endMs: asset.clipEndMs },
  plan: documents.get("plan"),
});

/** Submits jobs to the encoder, or finishes the asset when all of them are done. */
export async function dispatch(machine: AssetComponents): Promise<void> {
  const { documents, env, jobs } = machine;
  if (documents.get("stage") === "encoding" && jobs.isComplete()) return finishAsset(machine);
  const context = contextOfSource(machine);
  const outcome = await dispatchJobs(env, jobs, () => context, machine.clock());
  if ("lost" in outcome) return failAsset(machine, ENCODER_LOST);
  machine.timers.schedule("work", outcome.againAtMs);
}
