import { captionsRendition, type CaptionsResult } from "../../../../protocol/captions.ts";
import type { JobResult } from "../../../../protocol/jobs.ts";
import type { SourceFacts, SourceSubtitles } from "../../../../protocol/source-facts.ts";
import { CC_CHANNELS } from "../../../../protocol/media/captions/closed-captions.ts";
import { placeTakes } from "../../../media/edits/move-cues.ts";
import { log, logError, logWarning } from "../../../platform/log.ts";
import type { Accepted, AttemptFailure, AttemptResult } from "../../encoding/job-calls.ts";
import { isCaptionsJob, jobId, type JobSpec } from "../../encoding/job-spec.ts";
import type { JobRow } from "../../encoding/job-store.ts";
import { addMontageCaptions, type FoundCaptions } from "../../tracks/add-montage-captions.ts";
import { storedCaptionsKey } from "../../tracks/read-source-captions.ts";
import { addSourceCaptions } from "../../tracks/add-source-captions.ts";
import type { AssetComponents } from "../core/components.ts";
import { isCurrentAttempt, retryJob } from "../core/attempts.ts";

/** A deployment may kill a step; three times in a row, the step itself is the cause, and the asset goes without these captions. */
const MAX_STARTS = 3;
/** The jobs of sound and picture are submitted first. */
const AFTER_ENCODING_MS = 1000;

/** Plans to read the subtitles of a probed source. The asset does not wait for them. Part of the caller's commit. */
export function planCaptions(machine: AssetComponents, streams: SourceSubtitles[]): void {
  if (streams.some(({ codec }) => codec === "cc_data")) machine.documents.put("readsPictureCaptions", true);
  if (streams.length > 0) plan(machine, { kind: "captions", streams });
}

/** The same for every file of a montage. Captions of the picture that only its encoding would find are not read. */
export function planMontageCaptions(machine: AssetComponents, files: readonly SourceFacts[]): void {
  for (const [file, { subtitles = [] }] of files.entries())
    if (subtitles.length > 0) plan(machine, { kind: "captions", streams: subtitles, ...(file === 0 ? {} : { file }) });
}

/** Plans to read the captions of the picture when a job of the picture has found them, unless the probe had. Part of the caller's commit. */
export function planLateCaptions(machine: AssetComponents): void {
  const { documents } = machine;
  const { video = null, montage } = documents.get("plan") ?? {};
  if (video === null || montage !== undefined || documents.get("readsPictureCaptions") === true) return;
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
  if (machine.asset.montage !== null) {
    endOneOfSeveral(machine, job.id, result);
    return { accepted: true };
  }
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

/** The asset goes without the subtitles of its source, or of one file of its montage. */
export function dropCaptions(machine: AssetComponents, id: string, code: string): void {
  logWarning("captions.not_read", { assetId: machine.id, code });
  if (machine.asset.montage === null) machine.trackJobs.remove(id);
  else endOneOfSeveral(machine, id, { kind: "captions", streams: [] });
}

/** Tracks of a montage are made when all of its files are read. */
function endOneOfSeveral({ clock, timers, trackJobs }: AssetComponents, id: string, result: CaptionsResult): void {
  trackJobs.done(id, result, 0);
  timers.bringForward("tracks", clock());
}

/** Makes tracks of the captions of a montage when all of its files are read. */
export async function combineCaptions(machine: AssetComponents): Promise<void> {
  const { clock, documents, env, id: assetId, trackJobs } = machine;
  const montage = documents.get("plan")?.montage;
  const jobs = trackJobs.all().filter(({ id }) => isCaptionsJob(id));
  if (montage === undefined || jobs.length === 0 || jobs.some(({ state }) => state !== "done")) return;
  const all = jobs.flatMap(({ spec, result }) => (spec.kind === "captions" ? foundBy(assetId, spec, result) : []));
  const starts = documents.get("captionStarts") ?? 0;
  documents.put("captionStarts", starts + 1);
  await machine.ctx.storage.sync();
  if (starts < MAX_STARTS)
    await addMontageCaptions(env, assetId, all, { takes: placeTakes(montage.soundTakes), nowMs: clock() });
  else logError("captions.step_died", { assetId, starts });
  documents.delete("captionStarts");
  for (const { id } of jobs) trackJobs.remove(id);
  // Should this be lost, the objects stay until the media is deleted.
  await Promise.all(all.map(({ stream }) => env.MEDIA.delete(storedCaptionsKey(stream))));
}

function foundBy(
  assetId: string,
  { streams, file }: Extract<JobSpec, { kind: "captions" }>,
  result: JobResult | null,
): FoundCaptions[] {
  return streams.flatMap((facts) => {
    const isIt = (one: CaptionsResult["streams"][number]) => captionsRendition(one) === captionsRendition(facts);
    const found = result?.kind === "captions" ? result.streams.find(isIt) : undefined;
    return found === undefined ? [] : [{ stream: { assetId, file, facts }, found }];
  });
}
