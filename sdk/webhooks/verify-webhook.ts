import { requireText } from "../api/credentials.ts";
import { SluiceError } from "../api/errors.ts";
import type { MediaEvent } from "../api/types.ts";
import { standardSignatureProblem, type SignedRequest } from "./signatures.ts";

/** `Headers`, or an object such as `request.headers` of Node. */
export type WebhookHeaders = Headers | Record<string, string | readonly string[] | undefined>;

export interface VerifyOptions {
  /** Largest difference between the time of the signature and now (300). */
  toleranceSeconds?: number | undefined;
  now?: Date | undefined;
}

/** The request was not sent by the platform, was changed, or is too old. Answer it with 401. */
export class WebhookVerificationError extends SluiceError {
  override readonly name = "WebhookVerificationError";
}

/**
 * Verifies a delivery and returns its event. Compares in constant time. The signature covers id, time and body, so a recorded request is refused
 * after the tolerance. Within it, a delivery may arrive twice: drop ids (`event_id`) that you have seen.
 *
 * @param body the raw body, as it was received
 * @param secret of the webhook, Base64; both of them during a rotation
 * @throws {WebhookVerificationError} {SluiceError} for a secret that is not Base64; {TypeError} for a body that was parsed before
 */
export async function verifyWebhook(
  body: string | ArrayBuffer | Uint8Array,
  headers: WebhookHeaders,
  secret: string | readonly string[],
  { toleranceSeconds, now = new Date() }: VerifyOptions = {},
): Promise<MediaEvent> {
  const bytes = bytesOf(body);
  const secrets = Array.isArray(secret) ? secret : [secret];
  for (const one of secrets) requireText("the webhook's secret", one);
  const request: SignedRequest = { header: headerReader(headers), body: bytes, secrets };
  const problem = await standardSignatureProblem(request, { nowMs: now.getTime(), toleranceSeconds });
  if (problem !== null) throw new WebhookVerificationError(`the webhook is refused: ${problem}`);
  return JSON.parse(new TextDecoder().decode(bytes)) as MediaEvent;
}

/**
 * Whether this is the request by which the platform checks that a receiver answers, when a webhook is created. It is unsigned, because the
 * secret is not known yet. Answer it with a 2xx and do nothing else.
 */
export function isWebhookCheck(body: string | ArrayBuffer | Uint8Array, headers: WebhookHeaders): boolean {
  const header = headerReader(headers);
  const isUnsigned = header("service-signature") === "" && header("webhook-signature") === "";
  return isUnsigned && ["", "{}"].includes(new TextDecoder().decode(bytesOf(body)).trim());
}

function bytesOf(body: unknown): Uint8Array<ArrayBuffer> {
  if (typeof body === "string") return new Uint8Array(new TextEncoder().encode(body));
  if (body instanceof ArrayBuffer) return new Uint8Array(body);
  if (body instanceof Uint8Array) return new Uint8Array(body); // a copy, also of a Buffer
  throw new TypeError("verifyWebhook needs the raw body: text or bytes as they were received, not a parsed object");
}

/** @returns a function that gives the value of a header; empty = it is missing */
export function headerReader(headers: WebhookHeaders): (name: string) => string {
  if (headers instanceof Headers) return (name) => headers.get(name) ?? "";
  const values = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  return (name) => {
    const value = values.get(name);
    return typeof value === "string" ? value : (value?.[0] ?? "");
  };
}
