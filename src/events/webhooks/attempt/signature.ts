/**
 * Signatures of an attempt: `Service-Signature`, which published receivers check, and the headers of Standard Webhooks
 * (https://www.standardwebhooks.com, specification §"Signature scheme"), which include the time.
 */
import { fromBase64, toBase64 } from "../../../../protocol/base64.ts";

const encoder = new TextEncoder();

/** The bytes that are sent are signed, never a re-serialisation of them. */
export interface SignedMessage {
  eventId: string;
  body: Uint8Array;
  /** Time of this attempt. */
  atMs: number;
  /** The current key, then the previous one while a rotation overlaps. */
  keys: CryptoKey[];
}

/**
 * Headers of one attempt. `service-signature` uses the current key and does not depend on the time. `webhook-signature` has one
 * signature for each key.
 *
 * @throws {RangeError} without a key
 */
export async function signedHeaders(message: SignedMessage): Promise<Record<string, string>> {
  const { eventId, body, atMs, keys } = message;
  const [current] = keys;
  if (current === undefined) throw new RangeError("a message needs at least one key to be signed with");
  const timestamp = String(Math.floor(atMs / 1000));
  const content = concat(encoder.encode(`${eventId}.${timestamp}.`), body);
  const [service, ...standard] = await Promise.all([hmac(current, body), ...keys.map((key) => hmac(key, content))]);
  return {
    "service-signature": service ?? "",
    "webhook-id": eventId,
    "webhook-timestamp": timestamp,
    "webhook-signature": standard.map((signature) => `v1,${signature}`).join(" "),
  };
}

/**
 * The key is the Base64-decoded secret, not its text.
 *
 * @param secretBase64 standard Base64, as `newSecret` makes it
 * @throws {TypeError} when it is not Base64 of at least one byte; never with the secret in its message
 */
export async function importSigningKey(secretBase64: string): Promise<CryptoKey> {
  const bytes = decodeSecret(secretBase64);
  return crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
}

function decodeSecret(secretBase64: string): Uint8Array<ArrayBuffer> {
  const bytes = fromBase64(secretBase64);
  if (bytes === null) throw new TypeError("the signing secret is not Base64");
  if (bytes.byteLength === 0) throw new TypeError("the signing secret is empty");
  return bytes;
}

async function hmac(key: CryptoKey, bytes: Uint8Array): Promise<string> {
  const signature = await crypto.subtle.sign("HMAC", key, bytes);
  return toBase64(new Uint8Array(signature));
}

function concat(head: Uint8Array, tail: Uint8Array): Uint8Array {
  const joined = new Uint8Array(head.byteLength + tail.byteLength);
  joined.set(head);
  joined.set(tail, head.byteLength);
  return joined;
}
