import { boundsOf } from "../../tenancy/limits/index.ts";
import { openDatabase } from "../../platform/database.ts";
import { reserveFile } from "../uploads/repository.ts";
import type { UploadComponents } from "./components.ts";

/** What an upload whose length is not known reserves at a time. */
const STEP_BYTES = 1 << 30;

/**
 * Counts the file as storage of the workspace, before its bytes are stored. The length is that which the client states; without one, it grows
 * in steps.
 *
 * @param endBytes where the chunk ends
 * @returns false when the workspace has no room for it
 */
export function reserveStorage(machine: UploadComponents, file: StatedFile): Promise<boolean> {
  // One after the other, so that the machine and the database agree on what is reserved.
  const reserved = machine.reserving.then(() => reserve(machine, file));
  machine.reserving = reserved.catch(() => false);
  return reserved;
}

interface StatedFile {
  totalBytes: number | null;
  endBytes: number;
}

async function reserve(
  { documents, env, upload, progress }: UploadComponents,
  { totalBytes, endBytes }: StatedFile,
): Promise<boolean> {
  const total = totalBytes ?? progress.totalBytes;
  const reserved = documents.get("reservedBytes") ?? 0;
  const stated = total ?? Math.max(reserved, STEP_BYTES * Math.ceil(endBytes / STEP_BYTES));
  const wanted = Math.max(stated, progress.storedBytes);
  if (progress.status !== "waiting" || wanted === reserved) return true;
  const { storedBytes: mostBytes } = boundsOf(env);
  if (!(await reserveFile(openDatabase(env.DB), upload, wanted, mostBytes))) return false;
  documents.put("reservedBytes", wanted);
  return true;
}
