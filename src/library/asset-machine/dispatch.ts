import { ENCODER_LOST } from "../assets/asset-error.ts";
import { dispatchJobs } from "../encoding/dispatcher.ts";
import { failAsset, finishAsset } from "./end-processing.ts";
import type { AssetComponents } from "./core/components.ts";

/** Submits jobs to the encoder, or finishes the asset when all of them are done. */
export async function dispatch(machine: AssetComponents): Promise<void> {
  const { documents, env, jobs } = machine;
  if (documents.get("stage") === "encoding" && jobs.isComplete()) return finishAsset(machine);
  const context = machine.sourceContext;
  const outcome = await dispatchJobs(env, jobs, () => context, machine.clock());
  if ("lost" in outcome) return failAsset(machine, ENCODER_LOST);
  machine.timers.schedule("work", outcome.againAtMs);
}
