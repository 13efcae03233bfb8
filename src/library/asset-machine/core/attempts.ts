import { errorFields, log, logWarning } from "../../../platform/log.ts";
import { renditionKey } from "../../../platform/storage/keys.ts";
import { isAnnounced } from "../../encoding/announced-objects.ts";
import type { JobRow, JobStore } from "../../encoding/job-store.ts";
import type { Accepted, AttemptFailure, JobObject, ReplaceVerdict } from "../../encoding/job-calls.ts";
import type { AssetComponents } from "./components.ts";
import { fromJobFailure } from "../../assets/asset-error.ts";
import { MAX_ATTEMPTS } from "../../encoding/dispatcher.ts";

/** True also before the lease is stored: an encoder may call back before its submission has been answered. */
export const isCurrentAttempt = (job: JobRow, { attempt }: { attempt: number }): boolean =>
  job.state !== "done" && attempt === job.attempt;

/** Deletes the object of an earlier attempt. The machine handles no other call meanwhile, so no report can announce the key. */
export function replaceObject(machine: AssetComponents, jobs: JobStore, object: JobObject): Promise<ReplaceVerdict> {
  return machine.ctx.blockConcurrencyWhile(async () => {
    const { jobId, attempt, rendition, file } = object;
    const job = jobs.get(jobId);
    if (job === undefined || !isCurrentAttempt(job, object)) return "over";
    if (isAnnounced(object, job, jobs.all())) return "announced";
    log("job.object_replaced", { jobId, attempt, rendition, file });
    try {
      await machine.env.MEDIA.delete(renditionKey(machine.id, rendition, file));
      return "replace";
    } catch (error) {
      // An exception inside `blockConcurrencyWhile` would reset the object.
      logWarning("job.object_not_replaced", { jobId, file, ...errorFields(error) });
      return "unavailable";
    }
  });
}

/** How soon the next job is dispatched after one has failed. */
const DISPATCH_AFTER_FAILURE_MS = 250;

/** A job that has failed, with its queue and the timer that dispatches it. */
interface FailedJob {
  job: JobRow;
  failure: AttemptFailure;
  queue: JobStore;
  timer: "work" | "tracks";
}

/** Queues a failed job again. After the last attempt, or when the source is at fault, it is given up. Reports of earlier attempts have no effect. */
export function retryJob(
  machine: AssetComponents,
  { job, failure, queue, timer }: FailedJob,
  giveUp: (error: ReturnType<typeof fromJobFailure>) => void,
): Accepted {
  if (!isCurrentAttempt(job, failure)) return { accepted: false };
  logWarning("job.failed", { jobId: job.id, attempt: job.attempt, code: failure.code });
  const error = fromJobFailure(failure);
  const isShutdown = failure.code === "encoder_shutdown"; // not the job's fault
  if (isShutdown) queue.requeue(job.id, true);
  else if (error.fault === "source" || job.attempt >= MAX_ATTEMPTS) giveUp(error);
  else queue.requeue(job.id);
  machine.timers.bringForward(timer, machine.clock() + DISPATCH_AFTER_FAILURE_MS);
  return { accepted: true };
}
