import { open } from "../../platform/crypto/sealing.ts";
import { openDatabase } from "../../platform/database.ts";
import type { Env } from "../../platform/env.ts";
import { withKeys } from "../../platform/http/with-keys.ts";
import type { SourceKind } from "../sources/source.ts";
import { findCredential, type ImportCredential } from "./repository.ts";

/** Credentials as their owner gave them: never for a log, an event, a report or an error. */
export interface OpenedCredentials {
  source: SourceKind;
  /** Of the source's schema. */
  credentials: unknown;
}

/**
 * @returns null when the workspace has no such credential
 * @throws {Problem} unavailable when WEBHOOK_KEYS lacks its key
 */
export async function openCredentials(
  env: Env,
  workspaceId: string,
  credentialId: string,
): Promise<OpenedCredentials | null> {
  const row = await findCredential(openDatabase(env.DB), { workspaceId, credentialId });
  return row && { source: row.source, credentials: await openRow(env, row) };
}

/** @throws {Problem} unavailable */
export const openRow = async (env: Env, { id, sealed }: Pick<ImportCredential, "id" | "sealed">): Promise<unknown> =>
  JSON.parse(await withKeys(env, (keys) => open(keys, id, sealed)));
