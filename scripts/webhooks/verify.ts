import { createHmac } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { isSameSecret } from "../../protocol/same-secret.ts";

/** Maximum clock skew between sender and receiver, and maximum age of a replayed request (Standard Webhooks). */
const TOLERANCE_MS = 5 * 60_000;

export interface SignedRequest {
  headers: IncomingHttpHeaders;
  /** The raw body. */
  body: Buffer;
  /** Base64, as the API returns them. One matching secret is enough; after a rotation there may be two. */
  secrets: readonly string[];
  nowMs: number;
}

/**
 * Checks both signatures of a delivery: `Service-Signature` over the body, and the one of Standard Webhooks
 * (https://www.standardwebhooks.com, "Verifying webhook authenticity") over id, time and body.
 *
 * @returns null when both are valid, else the reason, to follow "refused:"
 */
export function signatureProblem({ headers, body, secrets, nowMs }: SignedRequest): string | null {
  const service = headerOf(headers, "service-signature");
  if (service === "") return "no Service-Signature";
  const keys = secrets.map((secret) => Buffer.from(secret, "base64"));
  if (!keys.some((key) => isSameSecret(service, hmac(key, body))))
    return "a Service-Signature of another secret or body";
  return standardProblem(headers, body, keys, nowMs);
}

function standardProblem(headers: IncomingHttpHeaders, body: Buffer, keys: Buffer[], nowMs: number): string | null {
  const [id, timestamp] = [headerOf(headers, "webhook-id"), headerOf(headers, "webhook-timestamp")];
  const signatures = headerOf(headers, "webhook-signature")
    .split(" ")
    .filter((one) => one.startsWith("v1,"))
    .map((one) => one.slice("v1,".length));
  if (id === "" || signatures.length === 0) return "no webhook-signature";
  if (!/^\d{1,12}$/.test(timestamp)) return "no webhook-timestamp in seconds";
  const signed = Buffer.concat([Buffer.from(`${id}.${timestamp}.`), body]);
  const isGood = keys.some((key) => signatures.some((signature) => isSameSecret(signature, hmac(key, signed))));
  if (!isGood) return "a webhook-signature of another secret, time or body";
  if (Math.abs(nowMs - Number(timestamp) * 1000) > TOLERANCE_MS) return "signed more than 5 minutes ago or ahead";
  return null;
}

const hmac = (key: Buffer, content: Buffer) => createHmac("sha256", key).update(content).digest("base64");

function headerOf(headers: IncomingHttpHeaders, name: string): string {
  const value = headers[name];
  return typeof value === "string" ? value : "";
}
