import { openDatabase } from "../../platform/database.ts";
import type { Env } from "../../platform/env.ts";
import { orNotFound, Problem } from "../../platform/http/problems.ts";
import { findCredential } from "../credentials/repository.ts";
import type { BatchRow } from "./repository.ts";

/**
 * Other credentials for a batch. Its object takes them, if its state accepts the command, and deletes those that it had, unless they are kept.
 *
 * @returns their id; null = it goes on with those that it has
 * @throws {Problem} import_credential_not_found, validation_failed
 */
export async function otherCredential(
  env: Env,
  batch: BatchRow,
  credentialId: string | undefined,
): Promise<string | null> {
  if (credentialId === undefined || credentialId.toLowerCase() === batch.credentialId) return null;
  const db = openDatabase(env.DB);
  const key = { workspaceId: batch.workspaceId, credentialId: credentialId.toLowerCase() };
  const found = orNotFound(await findCredential(db, key), "import_credential_not_found");
  if (found.source !== batch.source)
    throw new Problem("validation_failed", "validation failed", {
      fields: [{ field: "credentialId", message: "is invalid", hint: `must be of the source ${batch.source}` }],
    });
  return found.id;
}
