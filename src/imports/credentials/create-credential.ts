import { commit, openDatabase } from "../../platform/database.ts";
import { success } from "../../platform/http/answers.ts";
import type { CreateContext } from "../../platform/http/idempotency.ts";
import { Problem } from "../../platform/http/problems.ts";
import { withKeys } from "../../platform/http/with-keys.ts";
import { seal } from "../../platform/crypto/sealing.ts";
import type { Env } from "../../platform/env.ts";
import { log } from "../../platform/log.ts";
import { knownBy } from "./known-by.ts";
import { CREDENTIALS_PER_WORKSPACE, type ImportCredential, insertCredential, isInserted } from "./repository.ts";
import { type CreateCredential, toCredentialRecord } from "./schemas.ts";

/**
 * Stores credentials of a source, sealed. They are not checked: a source that is down would stand against it.
 *
 * @returns the credential without what it seals, which no answer has
 * @throws {Problem} import_credential_limit_reached, unavailable
 */
export async function createCredential(
  { name, ...given }: CreateCredential,
  { env, workspaceId, now, keep }: CreateContext,
) {
  const row = await sealedCredential(env, { ...given, workspaceId, name: name ?? null }, now);
  const { id } = row;
  const created = { id, answer: success(toCredentialRecord(row)) };
  const statements = [insertCredential(openDatabase(env.DB), row), ...(await keep(created, isInserted(id)))];
  const [inserted] = await commit(env.DB, statements);
  if (inserted!.meta.changes === 0) throw credentialLimitReached();
  log("import_credential.created", { credentialId: id, workspaceId, source: row.source });
  return created;
}

export const credentialLimitReached = () =>
  new Problem(
    "import_credential_limit_reached",
    `a workspace has at most ${CREDENTIALS_PER_WORKSPACE} credentials of sources`,
  );

/** A new row with sealed credentials, for the caller's commit. @throws {Problem} unavailable */
export async function sealedCredential(
  env: Env,
  given: Pick<ImportCredential, "workspaceId" | "source" | "name" | "keep"> & { credentials: unknown },
  now: Date,
): Promise<ImportCredential> {
  const { workspaceId, source, name, keep, credentials } = given;
  const id = crypto.randomUUID();
  return {
    id,
    workspaceId,
    source,
    name,
    account: null,
    accountName: null,
    sealed: await withKeys(env, (keys) => seal(keys, id, JSON.stringify(credentials))),
    ...knownBy(credentials as object),
    keep,
    createdAt: now,
    checkedAt: null,
    lastCheck: null,
  };
}
