import { importPKCS8 } from "jose";
import { isSealedWithCurrent, open, seal, SealError } from "../../platform/crypto/sealing.ts";
import { type Database, openDatabase } from "../../platform/database.ts";
import type { Env } from "../../platform/env.ts";
import { log, logWarning } from "../../platform/log.ts";
import { requireRoom } from "../signing-keys/create-signing-key.ts";
import { newKeyPair } from "../signing-keys/key-pair.ts";
import { findServerKey, insertSigningKey, resealServerKey, type ServerKey } from "../signing-keys/repository.ts";

/** A signing key whose private half this deployment has. */
export interface SigningPair {
  keyId: string;
  privateKey: CryptoKey;
}

/**
 * The workspace's key for tokens that the API makes, created by the first request. A key that does not open any more, because its sealing key was
 * removed from WEBHOOK_KEYS, is replaced.
 *
 * @throws {Problem} signing_key_limit_reached
 */
export async function serverKeyOf(env: Env, workspaceId: string, now: Date): Promise<SigningPair> {
  const db = openDatabase(env.DB);
  const found = await findServerKey(db, workspaceId);
  return (found && (await openKey(env, db, found))) ?? (await createKey(env, db, workspaceId, now));
}

async function openKey(env: Env, db: Database, key: ServerKey): Promise<SigningPair | null> {
  const { id: keyId, sealedPrivateKey } = key;
  try {
    const pem = await open(env.WEBHOOK_KEYS, keyId, sealedPrivateKey);
    if (!isSealedWithCurrent(env.WEBHOOK_KEYS, sealedPrivateKey))
      await resealServerKey(db, key, await seal(env.WEBHOOK_KEYS, keyId, pem));
    return { keyId, privateKey: await importPKCS8(pem, "RS256") };
  } catch (error) {
    if (!(error instanceof SealError)) throw error;
    logWarning("signing_key.not_opened", { signingKeyId: keyId, error: error.message });
    return null;
  }
}

async function createKey(env: Env, db: Database, workspaceId: string, now: Date): Promise<SigningPair> {
  await requireRoom(db, workspaceId);
  const id = crypto.randomUUID();
  const { publicKey, privateKey } = await newKeyPair();
  const sealedPrivateKey = await seal(env.WEBHOOK_KEYS, id, privateKey);
  await insertSigningKey(db, { id, workspaceId, publicKey, sealedPrivateKey, createdAt: now });
  log("signing_key.created", { signingKeyId: id, workspaceId, by: "playback token" });
  return { keyId: id, privateKey: await importPKCS8(privateKey, "RS256") };
}
