import type { SoundCuts } from "../../../protocol/jobs.ts";
import type { Env } from "../../platform/env.ts";
import { Problem } from "../../platform/http/problems.ts";
import { callJob } from "./call-job.ts";
import type { JobGrant } from "./job-token.ts";

/** Where a job cuts sound that is added to a recording. @throws {Problem} job_gone */
export async function readCuts(env: Env, grant: JobGrant): Promise<SoundCuts> {
  const { attempt } = grant;
  const { cuts } = await callJob<{ cuts: SoundCuts | null }>(env, grant, "cuts", { attempt });
  if (cuts === null) throw new Problem("job_gone", "this attempt of the job is over");
  return cuts;
}
