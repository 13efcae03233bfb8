import { CommandError } from "../../terminal/usage-error.ts";
import { askChoice, askYes, remark } from "../questions.ts";
import type { BatchSource, NewCredential, StoredCredential } from "../records.ts";
import type { ImportSession } from "../session.ts";
import { SOURCE_FORMS } from "../sources.ts";
import { askCredentialFields, type CredentialFields, readCredentialFields } from "./credential-fields.ts";
import { CredentialsRefused, requireUsable, showCheck } from "./credential-check.ts";
import type { CredentialOrigin } from "./credential-origin.ts";

export interface ChosenCredential {
  /** Null = the source is read without credentials. */
  id: string | null;
  /** Deletes credentials that were stored for a batch that is not created after all. */
  forget(): Promise<void>;
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
    isKept ??= await askYes("Keep them on the platform after this batch", "--keep-credential", false);
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

/** `Films & Sons, ending in 9f3c`. */
export const credentialName = ({ accountName, name, ending }: Omit<StoredCredential, "credentialId">): string =>
  [accountName ?? name ?? "unnamed", ending === undefined ? "" : `ending in ${ending}`]
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
  const { sluice, signal } = session;
  const body = { source: source.type, credentials, keep: isKept } as NewCredential; // the platform checks the fields
  const { data } = await sluice.post("/v1/imports/credentials", { body, signal });
  const remove = () =>
    sluice.delete("/v1/imports/credentials/{credentialId}", { params: { path: { credentialId: data.credentialId } } });
  const forget = () =>
    remove().then(
      () => undefined,
      () =>
        remark(
          `The platform still has the credentials ${data.credentialId}: sluice import credentials delete removes them.`,
        ),
    );
  try {
    return { ...(await checked(session, data.credentialId, source)), forget: isKept ? async () => undefined : forget };
  } catch (error) {
    await forget();
    throw error;
  }
}

async function checked({ sluice, reporter, signal }: ImportSession, credentialId: string, source: BatchSource) {
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
  return { id: credentialId, forget: NONE.forget };
}
