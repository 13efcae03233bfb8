import { ENCODER_LOST } from "../assets/asset-error.ts";
import { dispatchJobs } from "../encoding/dispatcher.ts";
import { finishClip } from "./finish-clip.ts";
import { failAsset, finishAsset } from "./end-processing.ts";
import type { AssetComponents } from "./core/components.ts";

/** Submits jobs to the encoder, or finishes the asset when all of them are done. */
export async function dispatch(machine: AssetComponents): Promise<void> {
  const { documents, env, jobs } = machine;
  if (documents.get("stage") === "encoding" && jobs.isComplete()) {
    const clip = documents.get("clip");
    return clip === undefined ? finishAsset(machine) : await finishClip(machine, clip);
  }
  const context = machine.sourceContext;
  const outcome = await dispatchJobs(env, jobs, () => context, machine.clock());
  if ("lost" in outcome) return failAsset(machine, ENCODER_LOST);
  machine.timers.schedule("work", outcome.againAtMs);
}
