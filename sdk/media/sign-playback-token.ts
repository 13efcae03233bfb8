import { importPKCS8, SignJWT } from "jose";
import { requireText } from "../api/credentials.ts";
import { SluiceError } from "../api/errors.ts";

export interface PlaybackTokenOptions {
  /** `id` of a signing key. */
  keyId: string;
  /** Its `privateKey` as the API returned it (Base64 of a PEM text), or the PEM text. */
  privateKey: string;
  playbackId: string;
  /** Seconds from now until which playback may start (3600). */
  expiresIn?: number | undefined;
  /** Seconds from now before which it may not start (0). */
  startsIn?: number | undefined;
  /** Claims of your own, such as a viewer's id. */
  claims?: Record<string, unknown> | undefined;
  now?: Date | undefined;
}

/**
 * Signs a token for a private playback ID, for `?token=` of its manifests and pages. Makes no request.
 *
 * @throws {SluiceError} for an unusable key or time; the message does not contain the key
 */
export async function signPlaybackToken({
  keyId,
  privateKey,
  playbackId,
  expiresIn = 3600,
  startsIn = 0,
  claims = {},
  now = new Date(),
}: PlaybackTokenOptions): Promise<string> {
  requireText("keyId", keyId);
  requireText("privateKey", privateKey);
  requireText("playbackId", playbackId);
  if (!Number.isFinite(expiresIn) || expiresIn <= startsIn)
    throw new SluiceError("expiresIn must be a number of seconds above startsIn");
  const nowS = Math.floor(now.getTime() / 1000);
  const token = new SignJWT({ ...claims, kid: keyId })
    .setProtectedHeader({ alg: "RS256", kid: keyId })
    .setSubject("")
    .setAudience(`media:${playbackId}`)
    .setIssuedAt(nowS)
    .setExpirationTime(nowS + Math.floor(expiresIn));
  if (startsIn > 0) token.setNotBefore(nowS + Math.floor(startsIn));
  return await token.sign(await importKey(privateKey));
}

async function importKey(privateKey: string): Promise<CryptoKey> {
  const isPem = privateKey.includes("-----BEGIN");
  let pem = "";
  try {
    pem = isPem ? privateKey : atob(privateKey);
    return await importPKCS8(pem.trim(), "RS256");
  } catch (cause) {
    const isPkcs1 = pem.includes("BEGIN RSA PRIVATE KEY");
    const problem = isPkcs1 ? "it is PKCS#1 instead of PKCS#8" : "it is not a PKCS#8 private key for RSA";
    throw new SluiceError(`privateKey cannot be used: ${problem}. Give it as the API returned it`, { cause });
  }
}
