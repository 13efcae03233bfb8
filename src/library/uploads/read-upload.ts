import { openDatabase } from "../../platform/database.ts";
import type { Env } from "../../platform/env.ts";
import { orNotFound } from "../../platform/http/problems.ts";
import { findUpload } from "./repository.ts";
import { toState } from "./to-record.ts";
import { uploadMachine } from "./upload-calls.ts";

/** @throws {Problem} media_not_found */
export async function readUpload(env: Env, { workspaceId, uploadId }: { workspaceId: string; uploadId: string }) {
  const upload = orNotFound(await findUpload(openDatabase(env.DB), workspaceId, uploadId), "media_not_found");
  return toState(env, upload, orNotFound(await uploadMachine(env, uploadId).readProgress(uploadId), "media_not_found"));
}
