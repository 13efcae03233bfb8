import { openDatabase } from "../../platform/database.ts";
import type { Env } from "../../platform/env.ts";
import { log } from "../../platform/log.ts";
import { deleteOver, findOverdue } from "./repository.ts";
import { uploadMachine } from "./upload-calls.ts";

/** An hour after the machine's own time for it. */
const OVERDUE_MS = 25 * 3600_000;
const AT_ONCE = 100;

/** How long the record of an upload that is over is kept. The media that it became has a record of its own. */
const KEEP_MS = 30 * 24 * 3600_000;
const DELETED_AT_ONCE = 1000;

/** Ends old uploads whose machine was never started, and deletes the records of those that were over long ago. */
export async function sweepUploads(env: Env, now: Date): Promise<void> {
  const overdue = await findOverdue(openDatabase(env.DB), new Date(now.getTime() - OVERDUE_MS), AT_ONCE);
  await Promise.all(
    overdue.map(async (uploadId) => {
      log("upload.swept", { uploadId });
      await uploadMachine(env, uploadId).expire(uploadId);
    }),
  );
  const { meta } = await deleteOver(openDatabase(env.DB), new Date(now.getTime() - KEEP_MS), DELETED_AT_ONCE);
  if (meta.changes > 0) log("upload.records_deleted", { deleted: meta.changes });
}
