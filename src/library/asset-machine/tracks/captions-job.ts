import { captionsRendition, type SourceSubtitles } from "../../../../protocol/jobs.ts";
import { CC_CHANNELS } from "../../../../protocol/media/captions/closed-captions.ts";
import { log, logWarning } from "../../../platform/log.ts";
import type { Accepted, AttemptFailure, AttemptResult } from "../../encoding/job-calls.ts";
import { jobId, type JobSpec } from "../../encoding/job-spec.ts";
import type { JobRow } from "../../encoding/job-store.ts";
import { addSourceCaptions } from "../../tracks/add-source-captions.ts";
import type { AssetComponents } from "../core/components.ts";
import { isCurrentAttempt, retryJob } from "../core/attempts.ts";

/** The jobs of sound and picture are submitted first. */
const AFTER_ENCODING_MS = 1000;

/** Plans to read the subtitles of a probed source. The asset does not wait for them. Part of the caller's commit. */
export function planCaptions(machine: AssetComponents, streams: SourceSubtitles[]): void {
  if (streams.some(({ codec }) => codec === "cc_data")) machine.documents.put("readsPictureCaptions", true);
  if (streams.length > 0) plan(machine, { kind: "captions", streams });
}

/** Plans to read the captions of the picture when a job of the picture has found them, unless the probe had. Part of the caller's commit. */
export function planLateCaptions(machine: AssetComponents): void {
  const { documents } = machine;
  const video = documents.get("plan")?.video ?? null;
  if (video === null || documents.get("readsPictureCaptions") === true) return;
  documents.put("readsPictureCaptions", true);
  const streams = CC_CHANNELS.map((channel): SourceSubtitles => ({
    streamIndex: video.source.streamIndex,
    codec: "cc_data",
    channel,
    languageCode: "und",
    title: "",
    isForced: false,
    isHearingImpaired: true,
  }));
  plan(machine, { kind: "captions", streams, isLate: true });
}

function plan(machine: AssetComponents, spec: JobSpec): void {
  machine.trackJobs.add(jobId(machine.asset.id, spec), spec);
  machine.timers.bringForward("tracks", machine.clock() + AFTER_ENCODING_MS);
}

/** Makes tracks of the subtitles that an encoder has read. The encoder repeats a report whose answer was lost; so are the tracks, without effect. */
export async function completeCaptionsJob(
  machine: AssetComponents,
  job: JobRow,
  { result, attempt }: AttemptResult,
): Promise<Accepted> {
  if (!isCurrentAttempt(job, { attempt }) || result.kind !== "captions" || job.spec.kind !== "captions")
    return { accepted: false };
  log("job.completed", { jobId: job.id, attempt });
  for (const facts of job.spec.streams) {
    const found = result.streams.find((one) => captionsRendition(one) === captionsRendition(facts));
    if (found !== undefined) await addSourceCaptions(machine.env, machine.asset.id, facts, found, machine.clock());
  }
  machine.trackJobs.remove(job.id);
  return { accepted: true };
}

/** Queues a failed job again. After the last attempt, or when the source is at fault, the asset goes without these tracks. */
export function failCaptionsJob(machine: AssetComponents, job: JobRow, failure: AttemptFailure): Accepted {
  const failed = { job, failure, queue: machine.trackJobs, timer: "tracks" } as const;
  return retryJob(machine, failed, () => dropCaptions(machine, job.id, failure.code));
}

/** The asset goes without the subtitles of its source. */
export function dropCaptions(machine: AssetComponents, id: string, code: string): void {
  logWarning("captions.not_read", { assetId: machine.id, code });
  machine.trackJobs.remove(id);
}
