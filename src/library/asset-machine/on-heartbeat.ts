import type { Heartbeat } from "../../../protocol/jobs.ts";
import { leaseMs } from "../encoding/dispatcher.ts";
import type { JobRow } from "../encoding/job-store.ts";
import type { AssetComponents } from "./components.ts";
import { isCurrentAttempt } from "./replace-object.ts";
import { reportProgress } from "./report-progress.ts";
import { showRenditions } from "./show-renditions.ts";

/** Renews a job's lease and lists the segments that it reports. */
export function onHeartbeat(
  machine: AssetComponents,
  job: JobRow,
  { attempt, progress, speed, partial }: Heartbeat,
): { continue: boolean } {
  if (!isCurrentAttempt(job, { attempt })) return { continue: false };
  machine.jobs.renew(job.id, machine.clock() + leaseMs(machine.env), progress, speed);
  if (partial !== undefined && machine.jobs.addPartial(job.id, partial)) showRenditions(machine);
  reportProgress(machine);
  return { continue: true };
}
