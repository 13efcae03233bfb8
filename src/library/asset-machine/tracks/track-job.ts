import type { AudioResult, Heartbeat, JobResult } from "../../../../protocol/jobs.ts";
import { log } from "../../../platform/log.ts";
import type { SegmentList } from "../../../media/types.ts";
import { type RecordedCuts, recordedSound } from "../../../media/manifest/recorded-sound.ts";
import { CHUNKS_INCONSISTENT, MEDIA_FAILED, NO_SOUND } from "../../assets/asset-error.ts";
import { findRecordedCuts } from "../../assets/find-recorded-cuts.ts";
import type { Accepted, AttemptFailure, AttemptResult } from "../../encoding/job-calls.ts";
import { trackRendition } from "../../encoding/assemble.ts";
import { leaseMs } from "../../encoding/dispatcher.ts";
import { trackJobId } from "../../encoding/job-spec.ts";
import type { JobRow } from "../../encoding/job-store.ts";
import { planAddedSound, type ReadyMedia } from "../../encoding/plan.ts";
import { findReadyMedia } from "../../assets/ready-media.ts";
import { audioRenditionOf } from "../../tracks/store/repository.ts";
import type { AssetComponents } from "../core/components.ts";
import { hearPieces, keepWords } from "./hear-pieces.ts";
import { endTrack, leave } from "./preparation.ts";
import { isCurrentAttempt, retryJob } from "../core/attempts.ts";
import type { PendingTrack } from "../core/track-store.ts";

/** Renews the lease of a job of an added track, or of the captions of a source. */
export function renewTrackJob(
  machine: AssetComponents,
  job: JobRow,
  { attempt, progress, speed }: Heartbeat,
): { continue: boolean } {
  if (!isCurrentAttempt(job, { attempt })) return { continue: false };
  machine.trackJobs.renew(job.id, machine.clock() + leaseMs(machine.env), progress, speed);
  return { continue: true };
}

/** The probe's result leads to the audio job, whose result makes the track available. */
export async function completeTrackJob(
  machine: AssetComponents,
  track: PendingTrack,
  job: JobRow,
  { result, attempt }: AttemptResult,
): Promise<Accepted> {
  if (!isCurrentAttempt(job, { attempt }) || result.kind !== job.spec.kind) return { accepted: false };
  log("job.completed", { jobId: job.id, attempt });
  if (result.kind === "probe") {
    const media = await findReadyMedia(machine.env, track.assetId);
    if (machine.trackJobs.get(job.id)?.state === "done") return { accepted: true }; // a repeat was faster
    planSound(machine, track, job, result, media);
  }
  if (result.kind === "speech" && isStill(machine, track, job)) hearPieces(machine, track, job, result);
  if (result.kind === "transcribe" && isStill(machine, track, job)) await keepWords(machine, track, job, result);
  if (result.kind === "audio") {
    const cuts = isCut(track) ? await findRecordedCuts(machine.env, track.assetId) : undefined;
    if (!isStill(machine, track, job)) return { accepted: true }; // a repeat was faster, or the track was deleted meanwhile
    addSound(machine, track, result, cuts);
  }
  machine.timers.bringForward("tracks", machine.clock());
  return { accepted: true };
}

const isCut = ({ plan }: PendingTrack): boolean => plan?.audio[0]?.hasCuts === true;

/** Whether the track still waits for this attempt. */
function isStill({ tracks, trackJobs }: AssetComponents, { id }: PendingTrack, job: JobRow): boolean {
  const now = trackJobs.get(job.id);
  return tracks.get(id)?.step === "encoding" && now !== undefined && isCurrentAttempt(now, job);
}

/** The track is whole. @param cuts undefined = it is not of a recording; null = the recording is deleted */
function addSound(
  machine: AssetComponents,
  track: PendingTrack,
  result: AudioResult,
  cuts: RecordedCuts | null | undefined,
): void {
  let segments: SegmentList | null = null;
  if (cuts === null) return endTrack(machine, track.id, MEDIA_FAILED);
  if (cuts !== undefined) {
    segments = recordedSound(cuts, result.rendition.timescale, result.segmentBytes ?? []);
    if (segments === null) return endTrack(machine, track.id, CHUNKS_INCONSISTENT);
  }
  machine.commit(() => {
    leave(machine, track);
    const payload = trackRendition(track.assetId, result, segments);
    machine.outbox.enqueue({ kind: "rendition", payload });
    const end = { status: "available", captions: null } as const;
    machine.outbox.enqueue({ kind: "trackEnded", payload: { id: track.id, end } });
  });
  machine.timers.bringForward("outbox", machine.clock());
}

/** Where the job cuts. Null when it is over, or not for a recording. */
export async function readCuts(
  { env }: AssetComponents,
  track: PendingTrack,
  job: JobRow,
  attempt: number,
): Promise<RecordedCuts | null> {
  return isCurrentAttempt(job, { attempt }) && isCut(track) ? await findRecordedCuts(env, track.assetId) : null;
}

function planSound(
  machine: AssetComponents,
  { id, assetId, imposed }: PendingTrack,
  job: JobRow,
  result: Extract<JobResult, { kind: "probe" }>,
  media: ReadyMedia | null,
): void {
  const plan = media && planAddedSound(result.facts, audioRenditionOf(id), media, imposed);
  if (plan === null) return endTrack(machine, id, NO_SOUND);
  machine.commit(() => {
    machine.trackJobs.done(job.id, result, 0);
    machine.tracks.change(id, { plan });
    machine.trackJobs.add(trackJobId(assetId, id, "audio"), { kind: "audio", track: 0 });
  });
}

/** Queues a failed job again, or fails the track: after the last attempt, or when its file is at fault. */
export function failTrackJob(
  machine: AssetComponents,
  track: PendingTrack,
  job: JobRow,
  failure: AttemptFailure,
): Accepted {
  const failed = { job, failure, queue: machine.trackJobs, timer: "tracks" } as const;
  return retryJob(machine, failed, (error) => endTrack(machine, track.id, error));
}
