import type { JobFailure } from "../../../protocol/jobs.ts";
import type { Env } from "../../platform/env.ts";
import { callJob } from "./call-job.ts";
import type { JobGrant } from "./job-token.ts";

export const reportFailure = (env: Env, grant: JobGrant, failure: JobFailure): Promise<object> =>
  callJob(env, grant, "fail", { ...failure, attempt: grant.attempt });
