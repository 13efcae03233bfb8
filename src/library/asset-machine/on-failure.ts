import type { JobFailure } from "../../../protocol/jobs.ts";
import type { JobRow } from "../encoding/job-store.ts";
import { failAsset } from "./fail-asset.ts";
import type { AssetComponents } from "./components.ts";
import { retryJob } from "./retry-job.ts";

/** Queues a failed job again, or fails the asset: after the last attempt, or when the source is at fault. */
export function onFailure(
  machine: AssetComponents,
  job: JobRow,
  failure: JobFailure & { attempt: number },
): { accepted: boolean } {
  const failed = { job, failure, queue: machine.jobs, timer: "work" } as const;
  return retryJob(machine, failed, (error) => failAsset(machine, error));
}
