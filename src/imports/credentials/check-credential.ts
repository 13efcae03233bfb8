import { openDatabase } from "../../platform/database.ts";
import type { Env } from "../../platform/env.ts";
import { validationProblem } from "../../platform/http/validation.ts";
import { log } from "../../platform/log.ts";
import { type CredentialCheck, type Source, SourceFailure } from "../sources/source.ts";
import type { CredentialDoors } from "./definitions.ts";
import { openRow } from "./open-credentials.ts";
import { type CredentialKey, findCredential, type ImportCredential, recordCheck } from "./repository.ts";
import type { LastCheck } from "./tables.ts";

/**
 * Asks the source what the credentials may do. That they are wrong, or the source is down, is a result and no error.
 *
 * @param options the fields of `source` of a batch besides `type`
 * @returns the credential with the result; null when there is none, or it was deleted meanwhile
 * @throws {Problem} validation_failed for options that are not the source's; unavailable
 */
export async function checkCredential(
  env: Env,
  key: CredentialKey,
  options: Record<string, unknown>,
  { definitions, openSource }: CredentialDoors,
  now: Date,
): Promise<ImportCredential | null> {
  const db = openDatabase(env.DB);
  const row = await findCredential(db, key);
  if (row === null) return null;
  const parsed = definitions[row.source].options.safeParse(options);
  if (!parsed.success) {
    const issues = parsed.error.issues.map((issue) => ({ ...issue, path: ["options", ...issue.path] }));
    throw validationProblem({ issues }, { data: { options }, schema: null });
  }
  const result = await ask(openSource(env, row.source, parsed.data, await openRow(env, row)));
  log("import_credential.checked", {
    ...key,
    source: row.source,
    ok: result.lastCheck.ok,
    code: result.lastCheck.problem?.code ?? null,
  });
  return await recordCheck(db, key, { ...result, checkedAt: now });
}

interface Result {
  account?: string;
  accountName?: string | null;
  lastCheck: LastCheck;
}

/** A source that refuses says nothing of its account: what an earlier check found stays. */
async function ask(source: Source): Promise<Result> {
  try {
    return found(await source.check());
  } catch (error) {
    if (!(error instanceof SourceFailure)) throw error;
    const { code, message } = error;
    return { lastCheck: { ok: false, missing: [], problem: { code, message } } };
  }
}

function found({ account, accountName, missing }: CredentialCheck): Result {
  const ok = !missing.some(({ isRequired }) => isRequired);
  return { account, accountName, lastCheck: { ok, missing, problem: null } };
}
