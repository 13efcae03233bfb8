/**
 * What an encoder may do, and until when: bound to one job of one attempt, to the renditions and segments that job makes.
 * A signed statement rather than a stored secret, so that checking it costs no lookup.
 */
export interface JobGrant {
  jobId: string;
  assetId: string;
  attempt: number;
  renditions: string[];
  /** First segment it may write, and the one after the last. */
  segments: [from: number, to: number];
  expiresAt: number; // epoch ms
}

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

export async function signJobGrant(secret: string, grant: JobGrant): Promise<string> {
  const payload = encoder.encode(JSON.stringify(grant));
  const signature = await crypto.subtle.sign("HMAC", await importKey(secret), payload);
  return `${toBase64Url(payload)}.${toBase64Url(new Uint8Array(signature))}`;
}

export type JobGrantRefusal = "malformed" | "forged" | "expired" | "foreign";

/** @param jobId the job the request is about; a token for another one is `foreign` */
export async function readJobGrant(
  secret: string,
  token: string,
  jobId: string,
  nowMs: number,
): Promise<JobGrant | JobGrantRefusal> {
  const [payloadText, signatureText, ...rest] = token.split(".");
  if (!payloadText || !signatureText || rest.length > 0) return "malformed";
  let payload: Uint8Array, signature: Uint8Array;
  try {
    [payload, signature] = [fromBase64Url(payloadText), fromBase64Url(signatureText)];
  } catch {
    return "malformed";
  }
  if (!(await crypto.subtle.verify("HMAC", await importKey(secret), signature, payload))) return "forged";
  const grant = JSON.parse(new TextDecoder().decode(payload)) as JobGrant;
  if (grant.jobId !== jobId) return "foreign";
  return grant.expiresAt <= nowMs ? "expired" : grant;
}
