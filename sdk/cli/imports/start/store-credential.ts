import { CommandError } from "../../terminal/usage-error.ts";
import { remark } from "../questions.ts";
import type { BatchSource, NewCredential } from "../records.ts";
import type { ImportSession } from "../session.ts";
import type { SourceKind } from "../sources.ts";
import { requireUsable, showCheck } from "./credential-check.ts";
import type { CredentialFields } from "./credential-fields.ts";

/** @returns the id of the credentials @throws {ApiError} 422 for fields that are not the source's */
export async function storeCredential(
  { sluice, signal }: ImportSession,
  { kind, credentials, isKept }: { kind: SourceKind; credentials: CredentialFields; isKept: boolean },
): Promise<string> {
  const body = { source: kind, credentials, keep: isKept } as NewCredential; // the platform checks the fields
  return (await sluice.post("/v1/imports/credentials", { body, signal })).data.credentialId;
}

/** Deletes credentials that nothing needs, also after Ctrl-C. */
export async function forgetCredential({ sluice }: ImportSession, credentialId: string): Promise<void> {
  await sluice.delete("/v1/imports/credentials/{credentialId}", { params: { path: { credentialId } } }).catch(() => {
    remark(`The platform still has the credentials ${credentialId}: sluice import credentials delete removes them.`);
  });
}

/** Asks the source what the credentials may do. @throws {CredentialsRefused} @throws {CommandError} */
export async function checkCredential(
  { sluice, reporter, signal }: ImportSession,
  credentialId: string,
  source: BatchSource,
): Promise<void> {
  const { type, ...options } = source as { type: string } & Record<string, unknown>;
  const { data } = await sluice.post("/v1/imports/credentials/{credentialId}/check", {
    params: { path: { credentialId } },
    body: { options },
    signal,
  });
  if (data.source !== type)
    throw new CommandError(`The credentials ${credentialId} are of ${data.source}, not of ${type}.`);
  const { account, accountName, lastCheck } = data;
  reporter.say({ kind: "credential", credentialId, account, accountName, check: lastCheck }, (screen) =>
    showCheck(data, screen),
  );
  requireUsable(data);
}
