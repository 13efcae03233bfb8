/** What encoders report about their jobs, to the machines of the jobs' assets. */
import type { Heartbeat, HeartbeatAnswer, JobFailure, JobResult, SoundCuts } from "../../../protocol/jobs.ts";
import type { Env } from "../../platform/env.ts";
import { Problem } from "../../platform/http/problems.ts";
import { type Accepted, machineOfJob } from "./job-calls.ts";
import { GRANT_MS, isDueForRenewal, type JobGrant, signJobGrant } from "./job-token.ts";

/** Renews a job's lease, and its token when the token is about to expire. */
export async function reportHeartbeat(
  env: Env,
  grant: JobGrant,
  heartbeat: Heartbeat,
  nowMs: number,
): Promise<HeartbeatAnswer> {
  const { jobId, attempt } = grant;
  const answer = await machineOfJob(env, grant).renewJob(jobId, { ...heartbeat, attempt });
  if (!answer.continue || !isDueForRenewal(grant, nowMs)) return answer;
  const expiresAt = nowMs + GRANT_MS;
  const token = await signJobGrant(env.JOB_SECRET, { ...grant, expiresAt });
  return { ...answer, renewed: { token, expiresAt } };
}

export const reportResult = (env: Env, grant: JobGrant, result: JobResult): Promise<Accepted> =>
  machineOfJob(env, grant).completeJob(grant.jobId, { result, attempt: grant.attempt });

export const reportFailure = (env: Env, grant: JobGrant, failure: JobFailure): Promise<Accepted> =>
  machineOfJob(env, grant).failJob(grant.jobId, { ...failure, attempt: grant.attempt });

/** Where a job cuts sound that is added to a recording. @throws {Problem} job_gone */
export async function readCuts(env: Env, grant: JobGrant): Promise<SoundCuts> {
  const cuts = await machineOfJob(env, grant).readCuts(grant.jobId, grant.attempt);
  if (cuts === null) throw new Problem("job_gone", "this attempt of the job is over");
  return cuts;
}
