import type { Heartbeat, HeartbeatAnswer } from "../../../protocol/jobs.ts";
import type { Env } from "../../platform/env.ts";
import { callJob } from "./call-job.ts";
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
