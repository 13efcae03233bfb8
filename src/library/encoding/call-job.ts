import type { Env } from "../../platform/env.ts";
import { callMachine } from "../../platform/machine/calls.ts";
import type { JobGrant } from "./job-token.ts";

/** Calls the machine of the job's asset. */
export const callJob = <Answer extends object>(
  env: Env,
  { assetId, jobId }: JobGrant,
  name: string,
  document: object,
) => callMachine<Answer>(env.ASSET_MACHINE, assetId, name, { jobId, ...document });
