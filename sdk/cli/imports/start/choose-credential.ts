import { askChoice, askYes, remark } from "../questions.ts";
import type { BatchSource, StoredCredential } from "../records.ts";
import type { ImportSession } from "../session.ts";
import { SOURCE_FORMS } from "../sources.ts";
import { askCredentialFields, type CredentialFields, readCredentialFields } from "./credential-fields.ts";
import { CredentialsRefused } from "./credential-check.ts";
import type { CredentialOrigin } from "./credential-origin.ts";
import { checkCredential, forgetCredential, storeCredential } from "./store-credential.ts";

export interface ChosenCredential {
  /** Null = the source is read without credentials. */
  id: string | null;
  /** Deletes credentials that were stored for a batch that is not created after all. */
  forget: () => Promise<void>;
}

interface Wanted {
  source: BatchSource;
  isKept: boolean;
  /** Whether questions that have a default are asked. */
  isGuided: boolean;
}

const NONE: ChosenCredential = { id: null, forget: async () => undefined };

/**
 * Stores the credentials unless the platform has them, and checks them at the source.
 *
 * @throws {CredentialsRefused} {CommandError}
 */
export async function chooseCredential(
  session: ImportSession,
  origin: CredentialOrigin,
  wanted: Wanted,
): Promise<ChosenCredential> {
  const { source } = wanted;
  switch (origin.from) {
    case "nowhere":
      return NONE;
    case "platform":
      return checked(session, origin.credentialId, source);
    case "file":
      return stored(session, await readCredentialFields(origin.path, source.type), wanted);
    case "environment":
      if (wanted.isGuided && !(await askYes(`Use ${origin.names.join(", ")} of the environment`, "--credential", true)))
        return askedFor(session, wanted);
      remark(`The credentials are those of ${origin.names.join(", ")}.`);
      return stored(session, origin.credentials, wanted);
    case "question":
      return askedFor(session, wanted);
  }
}

/** Credentials that the platform keeps, or new ones, until the source takes them. */
async function askedFor(session: ImportSession, wanted: Wanted): Promise<ChosenCredential> {
  const { source } = wanted;
  const kept = await keptCredentials(session, source.type);
  const chosen = await askWhich(kept, SOURCE_FORMS[source.type].isOpenToAll);
  if (chosen === "none") return NONE;
  if (chosen !== "new") return checked(session, chosen, source);
  let isKept: boolean | null = wanted.isKept || null;
  for (;;) {
    const fields = await askCredentialFields(source.type);
    isKept ??= await askYes(
      "Keep them on the platform after this batch (needed to retry failed videos)",
      "--keep-credential",
      false,
    );
    try {
      return await stored(session, fields, { ...wanted, isKept });
    } catch (error) {
      if (!(error instanceof CredentialsRefused)) throw error;
      remark(error.message);
      if (!(await askYes("Try other credentials", "--credential", true))) throw error;
    }
  }
}

async function askWhich(kept: StoredCredential[], isOpenToAll: boolean): Promise<string> {
  if (kept.length === 0 && !isOpenToAll) return "new";
  const choices: [string, string][] = [
    ["new", "new ones"],
    ...kept.map(({ credentialId, ...one }): [string, string] => [credentialId, credentialName(one)]),
    ...(isOpenToAll ? [["none", "none: it is public"] as [string, string]] : []),
  ];
  return askChoice("Credentials", "--credential", choices, "new");
}

/** `Old films, Films & Sons, ending in 9f3c`: its own name tells it from others of the account. */
export const credentialName = ({
  accountName,
  name,
  ending,
}: Pick<StoredCredential, "accountName" | "name" | "ending">): string =>
  [name ?? "", accountName ?? (name === undefined ? "unnamed" : ""), ending === undefined ? "" : `ending in ${ending}`]
    .filter((word) => word !== "")
    .join(", ");

async function keptCredentials({ sluice, signal }: ImportSession, source: string): Promise<StoredCredential[]> {
  const found: StoredCredential[] = [];
  for await (const one of sluice.list("/v1/imports/credentials", { params: { query: { limit: 50 } }, signal }))
    if (one.source === source && one.keep) found.push(one);
  return found;
}

async function stored(
  session: ImportSession,
  credentials: CredentialFields,
  { source, isKept }: Pick<Wanted, "source" | "isKept">,
): Promise<ChosenCredential> {
  const id = await storeCredential(session, { kind: source.type, credentials, isKept });
  const forget = () => forgetCredential(session, id);
  try {
    await checkCredential(session, id, source);
  } catch (error) {
    await forget();
    throw error;
  }
  return { id, forget: isKept ? NONE.forget : forget };
}

async function checked(session: ImportSession, id: string, source: BatchSource): Promise<ChosenCredential> {
  await checkCredential(session, id, source);
  return { id, forget: NONE.forget };
}
