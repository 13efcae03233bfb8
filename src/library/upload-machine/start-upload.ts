import { openDatabase } from "../../platform/database.ts";
import { findUpload, type Upload } from "../uploads/repository.ts";
import type { UploadProgress } from "../uploads/upload-calls.ts";
import type { UploadComponents } from "./components.ts";

/** An upload that is not complete after this time is over (media contract, direct uploads). */
const UPLOAD_KEPT_MS = 24 * 3600_000;

/** Takes over an upload. Repeatable. */
export function startUpload(machine: UploadComponents, upload: Upload): UploadProgress {
  const { documents, timers } = machine;
  if (documents.get("upload") === undefined) {
    machine.commit(() => {
      documents.put("upload", upload);
      timers.schedule("expiry", upload.createdAtMs + UPLOAD_KEPT_MS);
    });
  }
  return machine.progress;
}

/**
 * Starts a machine whose first call was lost.
 *
 * @returns false when no upload has this id
 */
export async function ensureStarted(machine: UploadComponents, uploadId: string): Promise<boolean> {
  if (machine.documents.get("upload") !== undefined) return true;
  const upload = await findUpload(openDatabase(machine.env.DB), null, uploadId);
  if (upload === null) return false;
  startUpload(machine, upload);
  return true;
}
