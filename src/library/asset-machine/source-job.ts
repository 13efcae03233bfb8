import type { Heartbeat, JobResult } from "../../../protocol/jobs.ts";
import type { Accepted, AttemptFailure, AttemptResult } from "../encoding/job-calls.ts";
import { leaseMs } from "../encoding/dispatcher.ts";
import type { JobRow } from "../encoding/job-store.ts";
import type { AssetComponents } from "./core/components.ts";
import { isCurrentAttempt, retryJob } from "./core/attempts.ts";
import { reportProgress, showRenditions } from "./show-progress.ts";
import { log } from "../../platform/log.ts";
import { planLateCaptions } from "./tracks/captions-job.ts";
import { planJobs } from "./plan-jobs.ts";
import { failAsset } from "./end-processing.ts";
import type { AssetError } from "../assets/asset-error.ts";
import { markFile, namingFile } from "./source-files.ts";

/** Renews a job's lease and lists the segments that it reports. */
export function renewSourceJob(
  machine: AssetComponents,
  job: JobRow,
  { attempt, progress, speed, partial }: Heartbeat,
): { continue: boolean } {
  if (!isCurrentAttempt(job, { attempt })) return { continue: false };
  machine.jobs.renew(job.id, machine.clock() + leaseMs(machine.env), progress, speed);
  if (partial !== undefined && machine.jobs.addPartial(job.id, partial)) showRenditions(machine);
  reportProgress(machine);
  return { continue: true };
}

/** Stores a job's result. The probe's result leads to the plan, every other one to listed renditions. */
export function completeSourceJob(machine: AssetComponents, job: JobRow, { result, attempt }: AttemptResult): Accepted {
  if (!isCurrentAttempt(job, { attempt }) || result.kind !== job.spec.kind) return { accepted: false };
  log("job.completed", { jobId: job.id, attempt: job.attempt });
  let problem: AssetError | null = null;
  machine.commit(() => {
    machine.jobs.done(job.id, result, speedOf(machine, result));
    if (result.kind === "probe") problem = planJobs(machine);
    if (result.kind === "video" && result.hasCcData === true && machine.documents.get("clip") === undefined)
      planLateCaptions(machine);
  });
  if (problem !== null) failAsset(machine, problem);
  if (result.kind !== "probe") showRenditions(machine);
  machine.timers.bringForward("work", machine.clock());
  return { accepted: true };
}

/** Media seconds per wall second; 0 = unknown. */
function speedOf(machine: AssetComponents, result: JobResult): number {
  const grid = machine.documents.get("plan")?.video?.grid;
  if (result.kind !== "video" || grid === undefined || result.encodeMs <= 0) return 0;
  const mediaMs = (result.frameCount * grid.frameRate.den * 1000) / grid.frameRate.num;
  return mediaMs / result.encodeMs;
}

/** Queues a failed job again, or fails the asset: after the last attempt, or when the source is at fault. */
export function failSourceJob(machine: AssetComponents, job: JobRow, failure: AttemptFailure): Accepted {
  const failed = { job, failure, queue: machine.jobs, timer: "work" } as const;
  const isOfMark = failure.code === "watermark_unusable";
  const file = job.spec.kind === "probe" ? (job.spec.file ?? 0) : isOfMark ? markFile(machine.asset) : null;
  return retryJob(machine, failed, (error) =>
    failAsset(machine, file === null ? error : namingFile(machine, file, error)),
  );
}
