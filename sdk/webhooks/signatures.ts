/** The two signatures of a delivery (docs/guides/webhooks.md, What arrives). */
import { SluiceError } from "../api/errors.ts";

/** Maximum clock skew between sender and receiver, and maximum age of a replayed request (Standard Webhooks). */
const TOLERANCE_SECONDS = 300;

export interface SignedRequest {
  /** The value of a header; empty = it is missing. Names in lower case. */
  header: (name: string) => string;
  /** The raw body. */
  body: Uint8Array<ArrayBuffer>;
  /** Base64, as the API returns them. One matching secret is enough; after a rotation there may be two. */
  secrets: readonly string[];
}

const ALGORITHM = { name: "HMAC", hash: "SHA-256" };

/** @returns null when `Service-Signature`, over the body, is valid; else the reason, to follow "refused:" @throws {SluiceError} */
export async function serviceSignatureProblem({ header, body, secrets }: SignedRequest): Promise<string | null> {
  const signature = header("service-signature");
  if (signature === "") return "no Service-Signature";
  const isGood = await isSigned([signature], body, secrets);
  return isGood ? null : "a Service-Signature of another secret or body";
}

/**
 * Checks the signature of Standard Webhooks (https://www.standardwebhooks.com, "Verifying webhook authenticity"), over id, time and body.
 *
 * @returns null when it is valid, else the reason, to follow "refused:"
 * @throws {SluiceError} for a secret that is not Base64
 */
export async function standardSignatureProblem(
  { header, body, secrets }: SignedRequest,
  { nowMs, toleranceSeconds = TOLERANCE_SECONDS }: { nowMs: number; toleranceSeconds?: number | undefined },
): Promise<string | null> {
  const [id, timestamp] = [header("webhook-id"), header("webhook-timestamp")];
  const signatures = header("webhook-signature")
    .split(" ")
    .filter((one) => one.startsWith("v1,"))
    .map((one) => one.slice("v1,".length));
  if (id === "" || signatures.length === 0) return "no webhook-signature";
  if (!/^\d{1,12}$/.test(timestamp)) return "no webhook-timestamp in seconds";
  const lead = new TextEncoder().encode(`${id}.${timestamp}.`);
  const signed = new Uint8Array(lead.byteLength + body.byteLength);
  signed.set(lead);
  signed.set(body, lead.byteLength);
  if (!(await isSigned(signatures, signed, secrets))) return "a webhook-signature of another secret, time or body";
  const ageSeconds = Math.abs(nowMs / 1000 - Number(timestamp));
  return ageSeconds > toleranceSeconds ? `signed more than ${inWords(toleranceSeconds)} ago or ahead` : null;
}

const inWords = (seconds: number) => (seconds % 60 === 0 ? `${seconds / 60} minutes` : `${seconds} seconds`);

/** Whether one of the signatures was made with one of the secrets. `verify` compares in constant time. */
async function isSigned(
  signatures: readonly string[],
  content: Uint8Array<ArrayBuffer>,
  secrets: readonly string[],
): Promise<boolean> {
  for (const secret of secrets) {
    const key = await crypto.subtle.importKey("raw", secretBytes(secret), ALGORITHM, false, ["verify"]);
    for (const signature of signatures) {
      const bytes = fromBase64(signature);
      if (bytes !== null && (await crypto.subtle.verify("HMAC", key, bytes, content))) return true;
    }
  }
  return false;
}

function secretBytes(secret: string): Uint8Array<ArrayBuffer> {
  const bytes = fromBase64(secret);
  if (bytes === null || bytes.byteLength === 0)
    throw new SluiceError("the webhook's secret is not Base64; give it exactly as the API returned it");
  return bytes;
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> | null {
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(text) || text.replace(/=+$/, "").length % 4 === 1) return null;
  return Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
}
