import { type CredentialCheck, type Source, SourceFailure } from "../sources/source.ts";
import type { BatchComponents } from "./components.ts";

/**
 * Checks the batch's credentials once, and again when it gets other ones. Its claims are of one account, so other credentials must be of the same.
 *
 * @throws {SourceFailure} permission_missing, credentials_invalid, and what the source's check throws
 */
export async function requireAccount(batch: BatchComponents, source: Source): Promise<void> {
  const { documents, order } = batch;
  const checked = order.credentialId ?? "";
  if (documents.get("checkedCredential") === checked) return;
  const { account, missing } = await requireWell(source);
  const known = documents.get("account");
  if (known !== undefined && known !== account)
    throw new SourceFailure(
      "credentials_invalid",
      "These credentials are of another account at the source than those that the batch began with.",
    );
  const { pace, changesAtSource, neverKept } = source;
  batch.commit(() => {
    documents.put("source", {
      pace: { ...pace },
      changesAtSource,
      neverKept: [...neverKept],
      missing: missing.map(({ permission, message }) => ({ permission, message })),
    });
    documents.put("account", account);
    documents.put("checkedCredential", checked);
  });
}

/** Asks the source whether it answers and the credentials suffice. @throws {SourceFailure} */
export async function requireWell(source: Source): Promise<CredentialCheck> {
  const check = await source.check();
  const needed = check.missing.find(({ isRequired }) => isRequired);
  if (needed !== undefined) throw new SourceFailure("permission_missing", needed.message);
  return check;
}

/** Whose videos the batch's claims are. */
export const accountOf = ({ documents, order }: BatchComponents) => ({
  workspaceId: order.workspaceId,
  source: order.source,
  account: documents.get("account") ?? "",
});
