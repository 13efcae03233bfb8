import type { ClipRange, Job } from "../../../protocol/jobs.ts";
import type { Env } from "../../platform/env.ts";
import { log, logWarning } from "../../platform/log.ts";
import { encoderClient } from "./encoder-client.ts";
import { jobBody, jobScope } from "./job-spec.ts";
import type { JobRow, JobStore } from "./job-store.ts";
import { GRANT_MS, type JobGrant, signJobGrant } from "./job-token.ts";
import type { EncodingPlan } from "./plan.ts";

export const MAX_ATTEMPTS = 3;
const DEFAULT_LEASE_MS = 30_000;
const FULL_RETRY_MS = 1000;
const UNREACHABLE_RETRY_MS = 2000;

export interface DispatchContext {
  assetId: string;
  publicUrl: string;
  clip: ClipRange;
  plan: EncodingPlan | undefined;
  /** The asset whose stored source the jobs read; absent = their own. */
  sourceId?: string;
  /** See `JobGrant`. */
  sourceSegment?: JobGrant["sourceSegment"];
  /** See `JobGrant`. */
  reads?: Pick<JobGrant, "sound" | "piece" | "video">;
}

export const leaseMs = (env: Env) => Number(env.JOB_LEASE_MS ?? "") || DEFAULT_LEASE_MS;

/**
 * Requeues jobs whose lease has expired and submits queued ones to the encoder.
 *
 * @returns when to dispatch again (epoch ms), or the job that lost the lease of its last attempt
 */
export async function dispatchJobs(
  env: Env,
  jobs: JobStore,
  contextOf: (job: JobRow) => DispatchContext,
  nowMs: number,
): Promise<{ againAtMs: number } | { lost: JobRow }> {
  for (const job of jobs.leased()) {
    if (job.leaseUntil > nowMs) continue;
    logWarning("job.lease_lost", { jobId: job.id, attempt: job.attempt });
    if (job.attempt >= MAX_ATTEMPTS) return { lost: job };
    jobs.requeue(job.id);
  }
  const encoder = encoderClient(env);
  const free = encoder.parallelJobs - jobs.leased().length;
  for (const job of jobs.queued(Math.max(0, free))) {
    const outcome = await encoder.submit(await toWire(env, job, contextOf(job), nowMs));
    if (outcome !== "accepted") {
      if (outcome === "unreachable") logWarning("encoder.unreachable", { jobId: job.id });
      return { againAtMs: nowMs + (outcome === "full" ? FULL_RETRY_MS : UNREACHABLE_RETRY_MS) };
    }
    log("job.handed_out", { jobId: job.id, attempt: job.attempt });
    jobs.lease(job.id, Date.now() + leaseMs(env));
  }
  return { againAtMs: Math.min(...jobs.leased().map((job) => job.leaseUntil), nowMs + leaseMs(env)) };
}

async function toWire(
  env: Env,
  job: JobRow,
  { assetId, publicUrl, clip, plan, sourceId, sourceSegment, reads = {} }: DispatchContext,
  nowMs: number,
): Promise<Job> {
  const expiresAt = nowMs + GRANT_MS;
  const scope = jobScope(job.spec, plan);
  const token = await signJobGrant(env.JOB_SECRET, {
    jobId: job.id,
    assetId,
    attempt: job.attempt,
    ...scope,
    ...(sourceId === undefined ? {} : { sourceId }),
    ...(sourceSegment === undefined ? {} : { sourceSegment }),
    ...reads,
    expiresAt,
  });
  return {
    jobId: job.id,
    assetId,
    attempt: job.attempt,
    callbackUrl: `${env.PUBLIC_URL || publicUrl}/internal/jobs/${job.id}`,
    token,
    expiresAt,
    leaseMs: leaseMs(env),
    ...jobBody(job.spec, plan, clip),
  };
}
