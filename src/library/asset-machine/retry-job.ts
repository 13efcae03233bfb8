import type { JobFailure } from "../../../protocol/jobs.ts";
import { logWarning } from "../../platform/log.ts";
import { fromJobFailure } from "../assets/asset-error.ts";
import { MAX_ATTEMPTS } from "../encoding/dispatcher.ts";
import type { JobRow, JobStore } from "../encoding/job-store.ts";
import type { AssetComponents } from "./components.ts";
import { isCurrentAttempt } from "./replace-object.ts";

/** How soon the next job is dispatched after one has failed. */
const DISPATCH_AFTER_FAILURE_MS = 250;

/** A job that has failed, with its queue and the timer that dispatches it. */
interface FailedJob {
  job: JobRow;
  failure: JobFailure & { attempt: number };
  queue: JobStore;
  timer: "work" | "tracks";
}

/** Queues a failed job again. After the last attempt, or when the source is at fault, it is given up. Reports of earlier attempts have no effect. */
export function retryJob(
  machine: AssetComponents,
  { job, failure, queue, timer }: FailedJob,
  giveUp: (error: ReturnType<typeof fromJobFailure>) => void,
): { accepted: boolean } {
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
