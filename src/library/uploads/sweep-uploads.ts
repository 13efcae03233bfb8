import { openDatabase } from "../../platform/database.ts";
import type { Env } from "../../platform/env.ts";
import { log } from "../../platform/log.ts";
import { findOverdue } from "./repository.ts";
import { callUpload } from "./upload-calls.ts";

/** An hour after the machine's own time for it. */
const OVERDUE_MS = 25 * 3600_000;
const AT_ONCE = 100;

/** Ends old uploads whose machine was never started. */
export async function sweepUploads(env: Env, now: Date): Promise<void> {
  const overdue = await findOverdue(openDatabase(env.DB), new Date(now.getTime() - OVERDUE_MS), AT_ONCE);
  await Promise.all(
    overdue.map(async (uploadId) => {
      log("upload.swept", { uploadId });
      await callUpload(env, uploadId, "expire", {});
    }),
  );
}
