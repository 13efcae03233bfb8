import { ENCODER_LOST } from "../assets/asset-error.ts";
import { type DispatchContext, dispatchJobs } from "../encoding/dispatcher.ts";
import type { JobRow } from "../encoding/job-store.ts";
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
  const edges = documents.get("clip")?.edges;
  const contextOf = ({ spec }: JobRow): DispatchContext => {
    const edge = spec.kind === "video" ? edges?.[spec.chunk] : undefined;
    if (edge === undefined) return context;
    const { rendition, initFile, segment } = edge;
    return { ...context, sourceSegment: { rendition, initFile, segment } };
  };
  const outcome = await dispatchJobs(env, jobs, contextOf, machine.clock());
  if ("lost" in outcome) return failAsset(machine, ENCODER_LOST);
  machine.timers.schedule("work", outcome.againAtMs);
}
