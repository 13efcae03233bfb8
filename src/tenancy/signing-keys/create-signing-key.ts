import { commit, type Database, openDatabase } from "../../platform/database.ts";
import { success } from "../../platform/http/answers.ts";
import type { CreateContext } from "../../platform/http/idempotency.ts";
import { Problem } from "../../platform/http/problems.ts";
import { log } from "../../platform/log.ts";
import { toTimestamp } from "../../platform/timestamp.ts";
import { newKeyPair } from "./key-pair.ts";
import { countSigningKeys, insertSigningKey } from "./repository.ts";

/** Enough for a key of each product and its successor. */
const KEYS_PER_WORKSPACE = 50;

/**
 * Makes an RSA-2048 key pair and stores the public half. The answer has the private half, which cannot be read again: Base64 of a PKCS#8 text
 * in PEM (media contract, signing keys).
 *
 * @throws {Problem} signing_key_limit_reached
 */
export async function createSigningKey({ env, workspaceId, now, keep }: CreateContext) {
  const db = openDatabase(env.DB);
  await requireRoom(db, workspaceId);
  const { publicKey, privateKey } = await newKeyPair();
  const id = crypto.randomUUID();
  const created = { id, answer: success({ id, privateKey: btoa(privateKey), createdAt: toTimestamp(now) }) };
  const key = { id, workspaceId, publicKey, sealedPrivateKey: null, createdAt: now };
  await commit(env.DB, [insertSigningKey(db, key), ...(await keep(created))]);
  log("signing_key.created", { signingKeyId: id, workspaceId });
  return created;
}

/** Concurrent requests may exceed the limit by their number. @throws {Problem} signing_key_limit_reached */
export async function requireRoom(db: Database, workspaceId: string): Promise<void> {
  if ((await countSigningKeys(db, workspaceId)) >= KEYS_PER_WORKSPACE)
    throw new Problem("signing_key_limit_reached", `a workspace has at most ${KEYS_PER_WORKSPACE} signing keys`);
}
