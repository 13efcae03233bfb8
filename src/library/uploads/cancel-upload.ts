import { openDatabase } from "../../platform/database.ts";
import type { Env } from "../../platform/env.ts";
import { orNotFound, Problem } from "../../platform/http/problems.ts";
import { findUpload } from "./repository.ts";
import { toCancelled } from "./to-record.ts";
import { uploadMachine } from "./upload-calls.ts";

/**
 * Cancels an upload and deletes what it has stored. Repeatable.
 *
 * @throws {Problem} media_not_found; upload_over when it is complete or has expired
 */
export async function cancelUpload(env: Env, { workspaceId, uploadId }: { workspaceId: string; uploadId: string }) {
  const upload = orNotFound(await findUpload(openDatabase(env.DB), workspaceId, uploadId), "media_not_found");
  const progress = await uploadMachine(env, uploadId).cancel(uploadId);
  if (progress?.status === "complete") throw new Problem("upload_not_waiting", "the upload is complete");
  if (progress?.status !== "cancelled") throw new Problem("upload_not_waiting", "the upload has expired");
  return toCancelled(env, upload);
}
