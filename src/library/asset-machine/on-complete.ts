import type { JobResult } from "../../../protocol/jobs.ts";
import { log } from "../../platform/log.ts";
import type { JobRow } from "../encoding/job-store.ts";
import type { AssetComponents } from "./components.ts";
import { planLateCaptions } from "./on-captions-job.ts";
import { planJobs } from "./plan-jobs.ts";
import { isCurrentAttempt } from "./replace-object.ts";
import { showRenditions } from "./show-renditions.ts";

/** Stores a job's result. The probe's result leads to the plan, every other one to listed renditions. */
export function onComplete(
  machine: AssetComponents,
  job: JobRow,
  { result, attempt }: { result: JobResult; attempt: number },
): { accepted: boolean } {
  if (!isCurrentAttempt(job, { attempt }) || result.kind !== job.spec.kind) return { accepted: false };
  log("job.completed", { jobId: job.id, attempt: job.attempt });
  machine.commit(() => {
    machine.jobs.done(job.id, result, speedOf(machine, result));
    if (result.kind === "probe") planJobs(machine, result.facts);
    if (result.kind === "video" && result.hasCcData === true) planLateCaptions(machine);
  });
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
