import { assembleRenditions, ChunkMismatchError, type RenditionRow } from "../encoding/assemble.ts";
import type { EncodingPlan } from "../encoding/plan.ts";
import { encodingProgress } from "../encoding/progress.ts";
import type { AssetComponents } from "./core/components.ts";

/** Lists the renditions that have become playable: whole ones, and growing ones while no whole one plays. */
export function showRenditions(machine: AssetComponents): void {
  const plan = machine.documents.get("plan");
  if (plan === undefined || machine.documents.get("clip") !== undefined) return; // a clip is listed when it is whole
  const rows = assembled(machine, plan);
  machine.commit(() => {
    if (rows !== null) machine.enqueueRenditions(rows);
    machine.enqueueFacts({ progress: encodingProgress(plan, machine.jobs.overview()) });
  });
  machine.timers.bringForward("outbox", machine.clock());
}

/** @returns null when chunks of a rendition do not fit together */
export function assembled(machine: AssetComponents, plan: EncodingPlan): RenditionRow[] | null {
  const isStandard = machine.documents.get("edge")?.isStandard === true;
  try {
    return assembleRenditions(machine.asset.id, plan, machine.jobs.all(), !isStandard);
  } catch (error) {
    if (error instanceof ChunkMismatchError) return null;
    throw error;
  }
}

const INTERVAL_MS = 1000;

/** Enqueues the encoding progress, at most once per interval. */
export function reportProgress(machine: AssetComponents): void {
  const { documents } = machine;
  const nowMs = machine.clock();
  const plan = documents.get("plan");
  if (plan === undefined || nowMs - (documents.get("progressAt") ?? 0) < INTERVAL_MS) return;
  documents.put("progressAt", nowMs);
  machine.enqueueFacts({ progress: encodingProgress(plan, machine.jobs.overview()) });
  machine.timers.bringForward("outbox", nowMs);
}
