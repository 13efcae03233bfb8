import { logError, logWarning } from "../../platform/log.ts";
import { fromSourceError, STEP_DIED } from "../assets/asset-error.ts";
import { toTimestamp } from "../../platform/timestamp.ts";
import { retryProgress } from "../encoding/progress.ts";
import { sourceRetryDelayMs } from "../sources/retry-schedule.ts";
import { SourceError } from "../sources/source-errors.ts";
import { isUploaded } from "../sources/upload-address.ts";
import { isClip } from "../clips/clip-address.ts";
import { cutClip } from "./cut-clip.ts";
import { copySource } from "./copy-source.ts";
import { dispatch } from "./dispatch.ts";
import { failAsset } from "./end-processing.ts";
import { followUpload } from "./follow-upload.ts";
import type { AssetComponents, Stage } from "./core/components.ts";
import { probeSource } from "./probe-source.ts";
import { namingFile, nextFile } from "./source-files.ts";

/** A deployment may kill a step; three times in a row, the step itself is the cause. */
const MAX_STEP_DEATHS = 3;

/** Takes one step of the current stage, then drains the outbox. Each step schedules the next one. */
export async function runWork(machine: AssetComponents): Promise<void> {
  if (!machine.isProcessing) return;
  const stored = machine.documents.get("stage") ?? "created";
  const stage: Stage = stored === "done" ? "encoding" : stored;
  if (!(await beginStep(machine, stage))) return failAsset(machine, STEP_DIED);
  try {
    if (stage === "created") await firstStep(machine);
    else if (stage === "downloading") await copySource(machine);
    else await dispatch(machine);
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
    onSourceError(machine, error);
  } finally {
    machine.documents.delete("openStep");
  }
  await machine.outbox.drain();
}

function firstStep(machine: AssetComponents): Promise<void> {
  const { sourceUrl } = machine.asset;
  if (isClip(sourceUrl)) return cutClip(machine);
  return isUploaded(sourceUrl) ? followUpload(machine) : probeSource(machine);
}

/**
 * Stores that a step begins, before it begins. A step that kills the process (for example out of memory) leaves no other trace and would
 * be repeated forever.
 *
 * @returns false when the last `MAX_STEP_DEATHS` tries of this stage neither ended nor threw
 */
async function beginStep({ id, ctx, documents }: AssetComponents, stage: Stage): Promise<boolean> {
  const open = documents.get("openStep");
  const tries = open?.stage === stage ? open.tries : 0;
  if (tries > 0) logError("asset.step_died", { assetId: id, stage, tries });
  if (tries >= MAX_STEP_DEATHS) return false;
  documents.put("openStep", { stage, tries: tries + 1 });
  await ctx.storage.sync();
  return true;
}

/** Schedules a retry when time can repair the failure, and shows it in the asset's progress; otherwise fails the asset. */
function onSourceError(machine: AssetComponents, error: SourceError): void {
  const { documents, env } = machine;
  const failures = (documents.get("sourceFailures") ?? 0) + 1;
  const scale = Number(env.SOURCE_RETRY_SCALE ?? "") || 1;
  const delayMs = error.retryable ? sourceRetryDelayMs(failures, error.retryAfterMs, scale) : null;
  logWarning("source.failed", { assetId: machine.id, code: error.code, failures, delayMs });
  const file = documents.get("stage") === "downloading" ? nextFile(machine)?.number : 0;
  if (delayMs === null) return failAsset(machine, namingFile(machine, file ?? 0, fromSourceError(error)));
  const atMs = machine.clock() + delayMs;
  const retry = { reason: error.code, attempt: failures, nextAttemptAt: toTimestamp(new Date(atMs)) };
  machine.commit(() => {
    documents.put("sourceFailures", failures);
    machine.enqueueFacts({ stage: "downloading", progress: retryProgress(documents.get("copy"), retry) });
  });
  machine.timers.schedule("work", atMs);
}
