/** Signing keys and playback tokens of the tests. */
import { env } from "cloudflare:test";
import { exportSPKI, generateKeyPair, SignJWT } from "jose";
import { openDatabase } from "../../../src/platform/database.ts";
import { signingKeys } from "../../../src/tenancy/signing-keys/tables.ts";

/** Key pairs take a tenth of a second each, so all tests of a run share two. */
const pairs = new Map<string, Promise<CryptoKeyPair>>();
export function keyPair(name = "first"): Promise<CryptoKeyPair> {
  const pair = pairs.get(name) ?? generateKeyPair("RS256", { extractable: true });
  pairs.set(name, pair);
  return pair;
}

/** A signing key of the workspace. @returns its id */
export async function addSigningKey(workspaceId: string, name = "first"): Promise<string> {
  const id = crypto.randomUUID();
  const publicKey = await exportSPKI((await keyPair(name)).publicKey);
  await openDatabase(env.DB).insert(signingKeys).values({ id, workspaceId, publicKey, createdAt: new Date() });
  return id;
}

export const nowSeconds = () => Math.floor(Date.now() / 1000);

/** A valid token of the contract. @param change claims that differ; undefined removes one */
export async function signToken(
  keyId: string,
  playbackId: string,
  change: Record<string, unknown> = {},
  header: Record<string, unknown> = {},
  pairName = "first",
): Promise<string> {
  const iat = nowSeconds();
  const claims = {
    kid: keyId,
    aud: `media:${playbackId}`,
    iss: "sluice.test",
    sub: "",
    iat,
    exp: iat + 600,
    ...change,
  };
  return await new SignJWT(claims)
    .setProtectedHeader({ alg: "RS256", kid: keyId, ...header })
    .sign((await keyPair(pairName)).privateKey);
}
