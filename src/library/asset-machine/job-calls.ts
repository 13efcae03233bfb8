import type { JobCalls, JobObject } from "../encoding/job-calls.ts";
import { isCaptionsJob, requestOfJob, trackOfJob } from "../encoding/job-spec.ts";
import type { JobRow } from "../encoding/job-store.ts";
import { isCurrentAttempt, replaceObject } from "./core/attempts.ts";
import type { AssetComponents } from "./core/components.ts";
import type { PendingTrack } from "./core/track-store.ts";
import { completePicturesJob, failPicturesJob } from "./insights/pictures-job.ts";
import { completeSourceJob, failSourceJob, renewSourceJob } from "./source-job.ts";
import { completeCaptionsJob, failCaptionsJob } from "./tracks/captions-job.ts";
import { completeTrackJob, failTrackJob, readCuts, renewTrackJob } from "./tracks/track-job.ts";

/** A job that is not over. Those of tracks and captions may go on when the asset is ready. */
type OpenJob =
  | { of: "source"; job: JobRow }
  | { of: "captions"; job: JobRow }
  | { of: "pictures"; job: JobRow }
  | { of: "track"; job: JobRow; track: PendingTrack };

/** Null = the job is unknown or over. */
function openJob({ isProcessing, jobs, state, trackJobs, tracks }: AssetComponents, jobId: string): OpenJob | null {
  const trackId = trackOfJob(jobId);
  const isOfPictures = requestOfJob(jobId) !== null;
  if (!isCaptionsJob(jobId) && !isOfPictures && trackId === null) {
    const job = isProcessing ? jobs.get(jobId) : undefined;
    return job === undefined ? null : { of: "source", job };
  }
  const job = state.status === "deleted" ? undefined : trackJobs.get(jobId);
  if (job === undefined) return null;
  if (isOfPictures) return { of: "pictures", job };
  if (isCaptionsJob(jobId)) return state.status === "errored" ? null : { of: "captions", job };
  const track = tracks.get(trackId ?? "");
  return track?.step === "encoding" ? { of: "track", job, track } : null;
}

/** Answers what encoders report, by the kind of the job. */
export const jobCalls = (machine: AssetComponents): JobCalls => ({
  renewJob(jobId, heartbeat) {
    const open = openJob(machine, jobId);
    if (open === null) return { continue: false };
    return open.of === "source"
      ? renewSourceJob(machine, open.job, heartbeat)
      : renewTrackJob(machine, open.job, heartbeat);
  },
  completeJob(jobId, result) {
    const open = openJob(machine, jobId);
    if (open === null) return { accepted: false };
    if (open.of === "source") return completeSourceJob(machine, open.job, result);
    if (open.of === "captions") return completeCaptionsJob(machine, open.job, result);
    if (open.of === "pictures") return completePicturesJob(machine, open.job, result);
    return completeTrackJob(machine, open.track, open.job, result);
  },
  failJob(jobId, failure) {
    const open = openJob(machine, jobId);
    if (open === null) return { accepted: false };
    if (open.of === "source") return failSourceJob(machine, open.job, failure);
    if (open.of === "captions") return failCaptionsJob(machine, open.job, failure);
    if (open.of === "pictures") return failPicturesJob(machine, open.job, failure);
    return failTrackJob(machine, open.track, open.job, failure);
  },
  judgeWrite(object: JobObject) {
    const open = openJob(machine, object.jobId);
    return open !== null && isCurrentAttempt(open.job, object) ? "write" : "over";
  },
  async replaceObject(object) {
    const open = openJob(machine, object.jobId);
    if (open === null) return "over";
    return await replaceObject(machine, open.of === "source" ? machine.jobs : machine.trackJobs, object);
  },
  async readCuts(jobId, attempt) {
    const open = openJob(machine, jobId);
    return open?.of === "track" ? await readCuts(machine, open.track, open.job, attempt) : null;
  },
});
