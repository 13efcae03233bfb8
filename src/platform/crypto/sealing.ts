/**
 * Encryption of secrets in D1: AES-GCM (NIST SP 800-38D) with a key that is never stored in D1. Format of a sealed secret:
 * `<key id>.<nonce, Base64url>.<ciphertext with tag, Base64url>`.
 */
import { fromBase64, fromBase64Url, toBase64Url } from "../../../protocol/base64.ts";

const SEALING_KEY_BYTES = 32;
/** The standard nonce length of AES-GCM. Nonces are random, which is safe for 2^32 seals per key (SP 800-38D §8.3). */
const NONCE_BYTES = 12;
const encoder = new TextEncoder();

/** A sealed secret cannot be opened, or the keys are unusable. Messages never contain a secret or a key. */
export class SealError extends Error {
  override readonly name = "SealError";
}

/**
 * @param keys `env.WEBHOOK_KEYS`: `<id>:<32 bytes in Base64>`, comma-separated; the first seals
 * @param ownerId of the webhook, stream or target; bound to the ciphertext, which opens only with the same id
 * @throws {SealError} when the keys are unusable
 */
export async function seal(keys: string, ownerId: string, secret: string): Promise<string> {
  const { id, bytes } = currentKey(keys);
  const iv = crypto.getRandomValues(new Uint8Array(NONCE_BYTES));
  const algorithm = { name: "AES-GCM", iv, additionalData: encoder.encode(ownerId) };
  const sealed = await crypto.subtle.encrypt(algorithm, await importKey(bytes, "encrypt"), encoder.encode(secret));
  return `${id}.${toBase64Url(iv)}.${toBase64Url(new Uint8Array(sealed))}`;
}

/** @throws {SealError} when its key is not among `keys`, or it was sealed for another owner, or is damaged */
export async function open(keys: string, ownerId: string, sealed: string): Promise<string> {
  const { keyId, iv, ciphertext } = parseSealed(sealed);
  const key = parseKeys(keys).find(({ id }) => id === keyId);
  if (key === undefined) throw new SealError(`the key ${JSON.stringify(keyId)} of a sealed secret is not configured`);
  const algorithm = { name: "AES-GCM", iv, additionalData: encoder.encode(ownerId) };
  try {
    const secret = await crypto.subtle.decrypt(algorithm, await importKey(key.bytes, "decrypt"), ciphertext);
    return new TextDecoder().decode(secret);
  } catch {
    throw new SealError(`a sealed secret does not open with the key ${JSON.stringify(keyId)}`);
  }
}

/** False = reseal it, so that older keys can be removed from the configuration. */
export function isSealedWithCurrent(keys: string, sealed: string): boolean {
  return sealed.startsWith(`${currentKey(keys).id}.`);
}

/** @throws {SealError} when the keys are unusable */
export const currentKeyId = (keys: string): string => currentKey(keys).id;

interface SealingKey {
  id: string;
  bytes: Uint8Array<ArrayBuffer>;
}

function currentKey(keys: string): SealingKey {
  return parseKeys(keys)[0]!;
}

/** At least one key, with distinct ids. A malformed older key is an error too, so that it is not discovered only when needed. */
function parseKeys(keys: string): SealingKey[] {
  if (keys === "") throw new SealError("WEBHOOK_KEYS is missing");
  const parsed = keys.split(",").map((entry, index) => {
    const [, id, text] = /^\s*([A-Za-z0-9_-]{1,32}):([A-Za-z0-9+/=]+)\s*$/.exec(entry) ?? [];
    const bytes = text === undefined ? null : fromBase64(text);
    if (id === undefined || bytes?.byteLength !== SEALING_KEY_BYTES)
      throw new SealError(`key ${index + 1} of WEBHOOK_KEYS is not <id>:<${SEALING_KEY_BYTES} bytes in Base64>`);
    return { id, bytes };
  });
  if (new Set(parsed.map(({ id }) => id)).size !== parsed.length)
    throw new SealError("two keys of WEBHOOK_KEYS have the same id");
  return parsed;
}

function parseSealed(sealed: string) {
  const [keyId, nonce, text, ...rest] = sealed.split(".");
  const iv = fromBase64Url(nonce ?? "");
  const ciphertext = fromBase64Url(text ?? "");
  if (!keyId || iv?.byteLength !== NONCE_BYTES || ciphertext === null || rest.length > 0)
    throw new SealError("a sealed secret is malformed");
  return { keyId, iv, ciphertext };
}

const importKey = (bytes: Uint8Array<ArrayBuffer>, use: "encrypt" | "decrypt") =>
  crypto.subtle.importKey("raw", bytes, "AES-GCM", false, [use]);
