import { commit, openDatabase } from "../../platform/database.ts";
import type { Env } from "../../platform/env.ts";
import { orNotFound, Problem } from "../../platform/http/problems.ts";
import { deleteUnlessKept, findCredential } from "../credentials/repository.ts";
import { type BatchRow, setCredential } from "./repository.ts";

/**
 * Gives a batch other credentials, and deletes those that it had, unless they are kept.
 *
 * @returns their id; null = it goes on with those that it has
 * @throws {Problem} import_credential_not_found, validation_failed
 */
export async function resumeBatch(env: Env, batch: BatchRow, credentialId: string | undefined): Promise<string | null> {
  if (credentialId === undefined || credentialId.toLowerCase() === batch.credentialId) return null;
  const db = openDatabase(env.DB);
  const key = { workspaceId: batch.workspaceId, credentialId: credentialId.toLowerCase() };
  const found = orNotFound(await findCredential(db, key), "import_credential_not_found");
  if (found.source !== batch.source)
    throw new Problem("validation_failed", "validation failed", {
      fields: [{ field: "credentialId", message: "is invalid", hint: `must be of the source ${batch.source}` }],
    });
  const former =
    batch.credentialId === null ? [] : [deleteUnlessKept(db, { credentialId: batch.credentialId, batchId: batch.id })];
  await commit(env.DB, [setCredential(db, batch.id, found.id), ...former]);
  return found.id;
}
