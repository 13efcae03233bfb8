import type { JobResult } from "../../../protocol/jobs.ts";
import type { Env } from "../../platform/env.ts";
import { callJob } from "./call-job.ts";
import type { JobGrant } from "./job-token.ts";

export const reportResult = (env: Env, grant: JobGrant, result: JobResult): Promise<object> =>
  callJob(env, grant, "complete", { result, attempt: grant.attempt });
