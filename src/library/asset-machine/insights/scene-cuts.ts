import type { AssetRecord } from "../../assets/repository.ts";
import type { AssetComponents } from "../core/components.ts";
import type { PendingInsight } from "../core/insight-store.ts";
import { picturesOf, planPictures } from "./pictures-job.ts";

/** The end of the job wakes the request; this is the net under that. */
const WAIT_MS = 30_000;

/**
 * The times at which scenes of a ready media begin, ms. A media without pictures has none, nor has one that cannot be looked through. Part of a step.
 *
 * @returns `later`: an encoder looks through it
 */
export async function findCuts(
  machine: AssetComponents,
  insight: PendingInsight,
  { asset }: AssetRecord,
): Promise<number[] | "later"> {
  if (insight.pictures === undefined) await planPictures(machine, insight, asset, "cuts");
  const known = machine.insights.get(insight.kind);
  if (known?.requestId !== insight.requestId) return "later"; // deleted, or asked for again
  if (!known.pictures) return [];
  if (known.pictures.count !== null) return picturesOf(machine, insight).map(([ms]) => ms);
  machine.insights.change(insight, { dueMs: machine.clock() + WAIT_MS });
  return "later";
}
