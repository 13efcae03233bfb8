import type { Heartbeat, JobFailure, JobResult } from "../../../protocol/jobs.ts";
import { log } from "../../platform/log.ts";
import { fromJobFailure } from "../assets/asset-error.ts";
import type { AssetForMachine } from "../assets/repository.ts";
import { leaseMs, MAX_ATTEMPTS } from "../encoding/dispatcher.ts";
import type { JobRow } from "../encoding/job-store.ts";
import type { JobObject } from "../encoding/store-object.ts";
import { failAsset } from "./fail-asset.ts";
import type { AssetParts } from "./parts.ts";
import { planJobs } from "./plan-jobs.ts";
import { isCurrentAttempt, replaceObject } from "./replace-object.ts";
import { showRenditions } from "./show-renditions.ts";
import { reportProgress } from "./report-progress.ts";
import { startAsset } from "./start-asset.ts";

/** How soon the next job is dispatched after one has failed. */
const DISPATCH_AFTER_FAILURE_MS = 250;

/** Answers to an encoder whose job is unknown or over. */
const OVER: Record<string, object> = {
  heartbeat: { continue: false },
  complete: { accepted: false },
  fail: { accepted: false },
  write: { verdict: "over" },
  replace: { verdict: "over" },
};

/** Answers a document: `start` from the creation of the asset, otherwise a report from the encoder of one job. */
export async function receiveDocument(machine: AssetParts, name: string, document: unknown): Promise<unknown> {
  if (name === "start") return startAsset(machine, document as AssetForMachine);
  const { jobId, ...rest } = document as { jobId: string };
  const job = machine.isProcessing ? machine.jobs.get(jobId) : undefined;
  if (job === undefined) return OVER[name];
  if (name === "heartbeat") return onHeartbeat(machine, job, rest as Heartbeat);
  if (name === "write") return { verdict: isCurrentAttempt(job, rest as JobObject) ? "write" : "over" };
  if (name === "replace") return { verdict: await replaceObject(machine, job.id, rest as JobObject) };
  if (name === "complete") return onComplete(machine, job, rest as { result: JobResult; attempt: number });
  if (name === "fail") return onFailure(machine, job, rest as JobFailure & { attempt: number });
  throw new Error(`an asset machine does not know ${name}`);
}

function onHeartbeat(
  machine: AssetParts,
  job: JobRow,
  { attempt, progress, speed, partial }: Heartbeat,
): { continue: boolean } {
  if (!isCurrentAttempt(job, { attempt })) return { continue: false };
  machine.jobs.renew(job.id, machine.clock() + leaseMs(machine.env), progress, speed);
  if (partial !== undefined && machine.jobs.addPartial(job.id, partial)) showRenditions(machine);
  reportProgress(machine);
  return { continue: true };
}

function onComplete(
  machine: AssetParts,
  job: JobRow,
  { result, attempt }: { result: JobResult; attempt: number },
): { accepted: boolean } {
  if (!isCurrentAttempt(job, { attempt }) || result.kind !== job.spec.kind) return { accepted: false };
  log("job.completed", { jobId: job.id, attempt: job.attempt });
  machine.commit(() => {
    machine.jobs.done(job.id, result, speedOf(machine, result));
    if (result.kind === "probe") planJobs(machine, result.facts);
  });
  if (result.kind !== "probe") showRenditions(machine);
  machine.timers.bringForward("work", machine.clock());
  return { accepted: true };
}

/** Media seconds per wall second; 0 = unknown. */
function speedOf(machine: AssetParts, result: JobResult): number {
  const grid = machine.documents.get("plan")?.video?.grid;
  if (result.kind !== "video" || grid === undefined || result.encodeMs <= 0) return 0;
  const mediaMs = (result.frameCount * grid.frameRate.den * 1000) / grid.frameRate.num;
  return mediaMs / result.encodeMs;
}

function onFailure(machine: AssetParts, job: JobRow, failure: JobFailure & { attempt: number }): { accepted: boolean } {
  if (!isCurrentAttempt(job, failure)) return { accepted: false };
  log("job.failed", { jobId: job.id, attempt: job.attempt, code: failure.code });
  const error = fromJobFailure(failure);
  const isShutdown = failure.code === "encoder_shutdown"; // not the job's fault
  if (isShutdown) machine.jobs.requeue(job.id, true);
  else if (error.fault === "source" || job.attempt >= MAX_ATTEMPTS) failAsset(machine, error);
  else machine.jobs.requeue(job.id);
  machine.timers.bringForward("work", machine.clock() + DISPATCH_AFTER_FAILURE_MS);
  return { accepted: true };
}
