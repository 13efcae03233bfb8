import { commit, openDatabase } from "../../platform/database.ts";
import { success } from "../../platform/http/answers.ts";
import type { CreateContext } from "../../platform/http/idempotency.ts";
import { Problem } from "../../platform/http/problems.ts";
import { withKeys } from "../../platform/http/with-keys.ts";
import { seal } from "../../platform/crypto/sealing.ts";
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
  { source, name, credentials, keep: isKept }: CreateCredential,
  { env, workspaceId, now, keep }: CreateContext,
) {
  const id = crypto.randomUUID();
  const sealed = await withKeys(env, (keys) => seal(keys, id, JSON.stringify(credentials)));
  const row: ImportCredential = {
    id,
    workspaceId,
    source,
    name: name ?? null,
    account: null,
    accountName: null,
    sealed,
    ...knownBy(credentials as object),
    keep: isKept,
    createdAt: now,
    checkedAt: null,
    lastCheck: null,
  };
  const created = { id, answer: success(toCredentialRecord(row)) };
  const statements = [insertCredential(openDatabase(env.DB), row), ...(await keep(created, isInserted(id)))];
  const [inserted] = await commit(env.DB, statements);
  if (inserted!.meta.changes === 0)
    throw new Problem(
      "import_credential_limit_reached",
      `a workspace has at most ${CREDENTIALS_PER_WORKSPACE} credentials of sources`,
    );
  log("import_credential.created", { credentialId: id, workspaceId, source });
  return created;
}
