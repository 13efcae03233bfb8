import type { JobFailure } from "../../../protocol/jobs.ts";
import { logWarning } from "../../platform/log.ts";
import { fromJobFailure } from "../assets/asset-error.ts";
import { MAX_ATTEMPTS } from "../encoding/dispatcher.ts";
import type { JobRow } from "../encoding/job-store.ts";
import { failAsset } from "./fail-asset.ts";
import type { AssetParts } from "./parts.ts";
import { isCurrentAttempt } from "./replace-object.ts";

/** How soon the next job is dispatched after one has failed. */
const DISPATCH_AFTER_FAILURE_MS = 250;

/** Queues a failed job again, or fails the asset: after the last attempt, or when the source is at fault. */
export function onFailure(
  machine: AssetParts,
  job: JobRow,
  failure: JobFailure & { attempt: number },
): { accepted: boolean } {
  if (!isCurrentAttempt(job, failure)) return { accepted: false };
  logWarning("job.failed", { jobId: job.id, attempt: job.attempt, code: failure.code });
  const error = fromJobFailure(failure);
  const isShutdown = failure.code === "encoder_shutdown"; // not the job's fault
  if (isShutdown) machine.jobs.requeue(job.id, true);
  else if (error.fault === "source" || job.attempt >= MAX_ATTEMPTS) failAsset(machine, error);
  else machine.jobs.requeue(job.id);
  machine.timers.bringForward("work", machine.clock() + DISPATCH_AFTER_FAILURE_MS);
  return { accepted: true };
}
