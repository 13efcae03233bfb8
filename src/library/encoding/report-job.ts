/** Forwards encoders' job reports (protocol/jobs.ts) to the asset's machine. */
import type { Heartbeat, HeartbeatAnswer, JobFailure, JobResult } from "../../../protocol/jobs.ts";
import type { Env } from "../../platform/env.ts";
import { callMachine } from "../../platform/machine/calls.ts";
import { GRANT_MS, isDueForRenewal, type JobGrant, signJobGrant } from "./job-token.ts";

/** Renews a job's lease, and its token when the token is about to expire. */
export async function reportHeartbeat(
  env: Env,
  grant: JobGrant,
  heartbeat: Heartbeat,
  nowMs: number,
): Promise<HeartbeatAnswer> {
  const { attempt } = grant;
  const answer = await callJob<HeartbeatAnswer>(env, grant, "heartbeat", { ...heartbeat, attempt });
  if (!answer.continue || !isDueForRenewal(grant, nowMs)) return answer;
  const expiresAt = nowMs + GRANT_MS;
  const token = await signJobGrant(env.JOB_SECRET, { ...grant, expiresAt });
  return { ...answer, renewed: { token, expiresAt } };
}

export const reportResult = (env: Env, grant: JobGrant, result: JobResult): Promise<object> =>
  callJob(env, grant, "complete", { result, attempt: grant.attempt });

export const reportFailure = (env: Env, grant: JobGrant, failure: JobFailure): Promise<object> =>
  callJob(env, grant, "fail", { ...failure, attempt: grant.attempt });

const callJob = <Answer extends object>(env: Env, { assetId, jobId }: JobGrant, name: string, document: object) =>
  callMachine<Answer>(env.ASSET_MACHINE, assetId, name, { jobId, ...document });
