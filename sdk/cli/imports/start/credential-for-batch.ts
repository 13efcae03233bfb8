import { text } from "../../terminal/command-line.ts";
import { ApiError } from "../../../index.ts";
import type { Batch, BatchSource } from "../records.ts";
import { type ImportSession, ofBatch } from "../session.ts";
import { chooseCredential, type ChosenCredential } from "./choose-credential.ts";
import { credentialOrigin } from "./credential-origin.ts";

export const CREDENTIAL_OPTIONS = {
  credential: text("ID", "other credentials of the source (sluice import credentials)"),
  "credentials-file": text("FILE", "a JSON object with the fields of the source's credentials"),
};

interface Given {
  credential: string | undefined;
  "credentials-file": string | undefined;
  "keep-credential": boolean;
}

/**
 * Credentials that are given for a batch that exists, stored and checked.
 *
 * @returns null = none are given
 * @throws {CredentialsRefused} {CommandError} {UsageError}
 */
export async function credentialForBatch(
  session: ImportSession,
  importId: string,
  { credential, "credentials-file": file, "keep-credential": isKept }: Given,
): Promise<ChosenCredential | null> {
  if (credential === undefined && file === undefined) return null;
  const { sluice, signal } = session;
  const { data } = await sluice.get("/v1/imports/{importId}", { ...ofBatch(importId), signal });
  const source = data.source as BatchSource;
  const given = { credential, "credentials-file": file, "no-credentials": false };
  const origin = credentialOrigin(given, source.type, { env: {}, canAsk: false });
  return chooseCredential(session, origin, { source, isKept, isGuided: false });
}

const REFUSED_MOVE = 409;

/** Goes on with other credentials: a batch takes them only while it is paused. */
export async function goOnWith(session: ImportSession, importId: string, credentialId: string): Promise<Batch> {
  const { sluice, signal } = session;
  const options = { ...ofBatch(importId), signal };
  await sluice.post("/v1/imports/{importId}/pause", options).catch((error: unknown) => {
    // It may have paused itself, because its own credentials are gone.
    if (!(error instanceof ApiError) || error.status !== REFUSED_MOVE) throw error;
  });
  return (await sluice.post("/v1/imports/{importId}/resume", { ...options, body: { credentialId } })).data;
}
