import { secretList } from "../../../protocol/secrets.ts";

/** Statements that their bearer may do something, signed with a secret of ours: checking one costs no lookup. */

const encoder = new TextEncoder();
const toBase64Url = (bytes: Uint8Array) =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
const fromBase64Url = (text: string) =>
  Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (char) => char.charCodeAt(0));

const importKey = (secret: string) =>
  crypto.subtle.importKey("raw", encoder.encode(secret), { name: "HMAC", hash: "SHA-256" }, false, ["sign", "verify"]);

/**
 * @param jobSecret `env.JOB_SECRET`; the first of its secrets signs
 * @throws {UnusableSecret}
 */
export async function signGrant(jobSecret: string, grant: object): Promise<string> {
  const [secret] = secretList("JOB_SECRET", jobSecret);
  const payload = encoder.encode(JSON.stringify(grant));
  const signature = await crypto.subtle.sign("HMAC", await importKey(secret), payload);
  return `${toBase64Url(payload)}.${toBase64Url(new Uint8Array(signature))}`;
}

/**
 * The statement as it was signed with one of the secrets. What it is good for, and until when, is for the caller to see.
 *
 * @throws {UnusableSecret}
 */
export async function readSigned<Grant extends object>(
  jobSecret: string,
  token: string,
): Promise<Grant | "malformed" | "forged"> {
  const secrets = secretList("JOB_SECRET", jobSecret);
  const [payloadText, signatureText, ...rest] = token.split(".");
  if (!payloadText || !signatureText || rest.length > 0) return "malformed";
  let payload: Uint8Array<ArrayBuffer>, signature: Uint8Array<ArrayBuffer>;
  try {
    [payload, signature] = [fromBase64Url(payloadText), fromBase64Url(signatureText)];
  } catch {
    return "malformed";
  }
  for (const secret of secrets)
    if (await crypto.subtle.verify("HMAC", await importKey(secret), signature, payload))
      return JSON.parse(new TextDecoder().decode(payload)) as Grant;
  return "forged";
}
