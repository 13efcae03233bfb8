import { errorFields, log, logWarning } from "../../platform/log.ts";
import { renditionKey } from "../../platform/storage/keys.ts";
import { isAnnounced } from "../encoding/announced-objects.ts";
import type { JobRow, JobStore } from "../encoding/job-store.ts";
import type { JobObject, ReplaceVerdict } from "../encoding/store-object.ts";
import type { AssetComponents } from "./components.ts";

/** True also before the lease is stored: an encoder may call back before its submission has been answered. */
export const isCurrentAttempt = (job: JobRow, { attempt }: { attempt: number }): boolean =>
  job.state !== "done" && attempt === job.attempt;

/** Deletes the object of an earlier attempt. The machine handles no other call meanwhile, so no report can announce the key. */
export function replaceObject(
  machine: AssetComponents,
  jobs: JobStore,
  jobId: string,
  object: JobObject,
): Promise<ReplaceVerdict> {
  return machine.ctx.blockConcurrencyWhile(async () => {
    const job = jobs.get(jobId);
    if (job === undefined || !isCurrentAttempt(job, object)) return "over";
    if (isAnnounced(object, job, jobs.all())) return "announced";
    const { attempt, rendition, file } = object;
    log("job.object_replaced", { jobId, attempt, rendition, file });
    try {
      await machine.env.MEDIA.delete(renditionKey(machine.id, rendition, file));
      return "replace";
    } catch (error) {
      // An exception inside `blockConcurrencyWhile` would reset the object.
      logWarning("job.object_not_replaced", { jobId, file, ...errorFields(error) });
      return "unavailable";
    }
  });
}
