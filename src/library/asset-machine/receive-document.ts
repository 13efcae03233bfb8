import type { Heartbeat, JobFailure, JobResult } from "../../../protocol/jobs.ts";
import type { TrackForMachine } from "../assets/start-tracks.ts";
import { isCaptionsJob, trackOfJob } from "../encoding/job-spec.ts";
import type { AssetForMachine } from "../assets/repository.ts";
import type { JobObject } from "../encoding/store-object.ts";
import { onComplete } from "./on-complete.ts";
import { onFailure } from "./on-failure.ts";
import { onHeartbeat } from "./on-heartbeat.ts";
import type { AssetComponents } from "./components.ts";
import { isCurrentAttempt, replaceObject } from "./replace-object.ts";
import { onCaptionsComplete, onCaptionsFailure } from "./on-captions-job.ts";
import { onCutsRequest, onTrackComplete, onTrackFailure, onTrackHeartbeat } from "./on-track-job.ts";
import { removeTrack, takeTrack } from "./take-track.ts";
import { startAsset } from "./start-asset.ts";

/** Answers to an encoder whose job is unknown or over. */
const OVER: Record<string, object> = {
  heartbeat: { continue: false },
  complete: { accepted: false },
  fail: { accepted: false },
  write: { verdict: "over" },
  replace: { verdict: "over" },
  cuts: { cuts: null },
};

/** More of the uploaded source is stored, or all of it. */
function onArrival({ documents, isProcessing, timers, clock }: AssetComponents): object {
  if (isProcessing && documents.get("asset") !== undefined) {
    documents.put("arrivals", (documents.get("arrivals") ?? 0) + 1);
    timers.bringForward("work", clock());
  }
  return {};
}

/** Answers a document: `start` from the creation of the asset, otherwise a report from the encoder of one job. */
export async function receiveDocument(machine: AssetComponents, name: string, document: unknown): Promise<unknown> {
  if (name === "start") return startAsset(machine, document as AssetForMachine);
  if (name === "arrived") return onArrival(machine);
  if (name === "track") return takeTrack(machine, document as TrackForMachine);
  if (name === "untrack") return removeTrack(machine, document as { id: string; assetId: string });
  const { jobId, ...rest } = document as { jobId: string };
  if (isCaptionsJob(jobId)) return await receiveOfCaptions(machine, name, jobId, rest);
  if (trackOfJob(jobId) !== null) return await receiveOfTrack(machine, name, jobId, rest);
  const job = machine.isProcessing ? machine.jobs.get(jobId) : undefined;
  if (job === undefined) return OVER[name];
  if (name === "heartbeat") return onHeartbeat(machine, job, rest as Heartbeat);
  if (name === "write") return { verdict: isCurrentAttempt(job, rest as JobObject) ? "write" : "over" };
  if (name === "replace") return { verdict: await replaceObject(machine, machine.jobs, job.id, rest as JobObject) };
  if (name === "complete") return onComplete(machine, job, rest as { result: JobResult; attempt: number });
  if (name === "fail") return onFailure(machine, job, rest as JobFailure & { attempt: number });
  throw new Error(`an asset machine does not know ${name}`);
}

/** A report of the job that reads the source's subtitles. The asset may be ready. */
async function receiveOfCaptions(machine: AssetComponents, name: string, jobId: string, report: unknown): Promise<unknown> {
  const { state, trackJobs } = machine;
  const isOver = state.status === "deleted" || state.status === "errored";
  const job = isOver ? undefined : trackJobs.get(jobId);
  if (job === undefined) return OVER[name];
  if (name === "heartbeat") return onTrackHeartbeat(machine, job, report as Heartbeat);
  if (name === "write") return { verdict: isCurrentAttempt(job, report as JobObject) ? "write" : "over" };
  if (name === "replace") return { verdict: await replaceObject(machine, trackJobs, jobId, report as JobObject) };
  if (name === "complete")
    return await onCaptionsComplete(machine, job, report as { result: JobResult; attempt: number });
  if (name === "fail") return onCaptionsFailure(machine, job, report as JobFailure & { attempt: number });
  throw new Error(`an asset machine does not know ${name}`);
}

/** A report of a job of an added track, whose asset may be ready. */
async function receiveOfTrack(machine: AssetComponents, name: string, jobId: string, report: unknown): Promise<unknown> {
  const { state, trackJobs, tracks } = machine;
  const job = state.status === "deleted" ? undefined : trackJobs.get(jobId);
  const track = tracks.get(trackOfJob(jobId) ?? "");
  if (job === undefined || track?.step !== "encoding") return OVER[name];
  if (name === "heartbeat") return onTrackHeartbeat(machine, job, report as Heartbeat);
  if (name === "write") return { verdict: isCurrentAttempt(job, report as JobObject) ? "write" : "over" };
  if (name === "replace") return { verdict: await replaceObject(machine, trackJobs, jobId, report as JobObject) };
  if (name === "complete")
    return await onTrackComplete(machine, track, job, report as { result: JobResult; attempt: number });
  if (name === "fail") return onTrackFailure(machine, track, job, report as JobFailure & { attempt: number });
  if (name === "cuts") return await onCutsRequest(machine, track, job, report as { attempt: number });
  throw new Error(`an asset machine does not know ${name}`);
}
