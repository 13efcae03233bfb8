import type { JudgedPicture, PicturesPurpose } from "../../../../protocol/pictures.ts";
import { log } from "../../../platform/log.ts";
import type { AssetError } from "../../assets/asset-error.ts";
import { type AssetRecord, findReadyRenditions } from "../../assets/repository.ts";
import type { Accepted, AttemptFailure, AttemptResult } from "../../encoding/job-calls.ts";
import type { DispatchContext } from "../../encoding/dispatcher.ts";
import { type JobSpec, picturesJobId, requestOfJob } from "../../encoding/job-spec.ts";
import type { JobRow } from "../../encoding/job-store.ts";
import { isCurrentAttempt, retryJob } from "../core/attempts.ts";
import type { AssetComponents } from "../core/components.ts";
import type { PendingInsight } from "../core/insight-store.ts";
import { logFailed } from "../core/log-failed.ts";
import { loseHalf } from "./lose-half.ts";

/** Under which the pictures are stored, as one answer. */
const keyOf = ({ kind }: Pick<PendingInsight, "kind">) => `${kind} pictures`;

/** Has a ready media looked through for a result. Part of a step. */
export async function planPictures(
  machine: AssetComponents,
  insight: PendingInsight,
  { publicUrl }: AssetRecord["asset"],
  purpose: PicturesPurpose,
): Promise<void> {
  const { assetId, kind, requestId } = insight;
  const rows = await findReadyRenditions(machine.env.DB, assetId);
  const videos = rows === "processing" ? [] : rows.filter(({ kind }) => kind === "video");
  // What the encoder has made decodes without surprises.
  const own = videos.filter(({ origin }) => origin !== "passthrough");
  const pixelsOf = ({ widthPx, heightPx }: (typeof videos)[number]) => (widthPx ?? 0) * (heightPx ?? 0);
  const [video] = (own.length > 0 ? own : videos).toSorted((a, b) => pixelsOf(a) - pixelsOf(b));
  if (video === undefined) return machine.insights.change(insight, { pictures: null });
  const jobId = picturesJobId(assetId, requestId);
  const rendition = `m-${requestId}`;
  machine.commit(() => {
    if (machine.insights.get(kind)?.requestId !== requestId) return; // deleted, or asked for again
    machine.insights.change(insight, { pictures: { jobId, rendition, publicUrl, count: null, judge: null } });
    machine.trackJobs.add(jobId, { kind: "pictures", rendition, video: video.name, purpose });
  });
  machine.timers.bringForward("tracks", machine.clock());
}

/** The request of a job that is still wanted. */
function requestOf({ insights }: AssetComponents, jobId: string): PendingInsight | null {
  const requestId = requestOfJob(jobId);
  return insights.all().find((insight) => insight.requestId === requestId && insight.pictures) ?? null;
}

/** Null = it is another job. */
export function picturesContext(machine: AssetComponents, jobId: string, spec: JobSpec): DispatchContext | null {
  if (spec.kind !== "pictures") return null;
  const { assetId = machine.id, pictures } = requestOf(machine, jobId) ?? {};
  const publicUrl = pictures?.publicUrl ?? "";
  return { assetId, publicUrl, clip: { startMs: 0, endMs: null }, plan: undefined, reads: { video: spec.video } };
}

export function completePicturesJob(
  machine: AssetComponents,
  job: JobRow,
  { result, attempt }: AttemptResult,
): Accepted {
  const insight = requestOf(machine, job.id);
  if (insight === null || !isCurrentAttempt(job, { attempt }) || result.kind !== "pictures") return { accepted: false };
  log("job.completed", { jobId: job.id, attempt });
  const { pictures, engine, model, judgeMs } = result;
  machine.commit(() => {
    machine.trackJobs.remove(job.id);
    machine.insights.keep(keyOf(insight), 0, pictures);
    machine.insights.change(insight, {
      pictures: {
        ...insight.pictures!,
        count: pictures.length,
        judge: engine === null ? null : { engine, model: model ?? "" },
      },
      tookMs: insight.tookMs + judgeMs,
      dueMs: machine.clock(),
    });
  });
  machine.timers.bringForward("insights", machine.clock());
  return { accepted: true };
}

/** What a job has found. */
export const picturesOf = ({ insights }: AssetComponents, insight: PendingInsight): JudgedPicture[] =>
  (insights.answers(keyOf(insight))[0] as JudgedPicture[] | undefined) ?? [];

/** Queues a failed job again. After the last attempt, or when the media is at fault, the request fails. */
export function failPicturesJob(machine: AssetComponents, job: JobRow, failure: AttemptFailure): Accepted {
  const failed = { job, failure, queue: machine.trackJobs, timer: "tracks" } as const;
  return retryJob(machine, failed, (error) => losePictures(machine, job.id, error));
}

/** The pictures of a media cannot be taken. Chapters do without. */
export function losePictures(machine: AssetComponents, jobId: string, error: AssetError): void {
  const insight = requestOf(machine, jobId);
  if (insight?.kind === "moderation") return loseHalf(machine, insight, "pictures", error);
  machine.commit(() => {
    machine.trackJobs.remove(jobId);
    if (insight !== null) machine.insights.change(insight, { pictures: null, dueMs: machine.clock() });
  });
  if (insight === null) return;
  logFailed("insight.without_pictures", { assetId: insight.assetId, kind: insight.kind }, error);
  machine.timers.bringForward("insights", machine.clock());
}
