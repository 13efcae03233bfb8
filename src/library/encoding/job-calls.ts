import type { Heartbeat, HeartbeatAnswer, JobFailure, JobResult, SoundCuts } from "../../../protocol/jobs.ts";
import type { Env } from "../../platform/env.ts";
import { ittyMachine } from "../../platform/machine/itty.ts";
import type { Remote } from "../../platform/machine/remote.ts";
import type { JobGrant } from "./job-token.ts";

/** One object of a rendition, as an attempt of a job writes it. */
export interface JobObject {
  jobId: string;
  attempt: number;
  rendition: string;
  /** `init.mp4`, `init-0.mp4` of sound for a recording, `{number}.m4s`, or of a captions job `captions.json`. */
  file: string;
}

/** Whether an attempt may write an object. */
export type WriteVerdict = "write" | "over";
/** `replace`: the object of an earlier attempt has been deleted. `unavailable`: deleting it failed. */
export type ReplaceVerdict = "replace" | "announced" | "over" | "unavailable";

export interface AttemptResult {
  attempt: number;
  result: JobResult;
}
export type AttemptFailure = JobFailure & { attempt: number };
/** False = the attempt is over. */
export interface Accepted {
  accepted: boolean;
}

/** The calls of an asset's machine that concern its encoding jobs. `AssetCalls` has the others. */
export interface JobCalls {
  renewJob(jobId: string, heartbeat: Heartbeat): Pick<HeartbeatAnswer, "continue">;
  completeJob(jobId: string, result: AttemptResult): Accepted | Promise<Accepted>;
  failJob(jobId: string, failure: AttemptFailure): Accepted;
  judgeWrite(object: JobObject): WriteVerdict;
  /** Deletes an object of an earlier attempt that no playlist lists. */
  replaceObject(object: JobObject): Promise<ReplaceVerdict>;
  /** Where a job cuts sound that is added to a recording. Null when the attempt is over. */
  readCuts(jobId: string, attempt: number): Promise<SoundCuts | null>;
}

/** The stub of the machine of the job's asset. Sends nothing. */
export const machineOfJob = (env: Env, { assetId }: JobGrant): Remote<JobCalls> =>
  ittyMachine(env.ASSET_MACHINE, assetId);
