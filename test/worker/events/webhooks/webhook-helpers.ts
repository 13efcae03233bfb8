import { env } from "cloudflare:test";
import { openDatabase } from "../../../../src/platform/database.ts";
import { insertEvent } from "../../../../src/events/index.ts";
import { commitWithEvents } from "../../../../src/events/webhooks/index.ts";
import { type ErrorBody, type TestWorkspace } from "../../workspace.ts";
import { receivers, release, seenAt as requestsAt } from "./receivers.ts";
import { someEvent } from "./webhook-rows.ts";

/** A unique URL of the receiver. @param behaviour a path of test/support/receiver.ts, with its query */
export function receiverUrl(behaviour = "/status/200"): string {
  const url = new URL(behaviour, receivers().plain);
  url.searchParams.set("of", crypto.randomUUID());
  return url.href;
}

/** The requests to a URL of the receiver, in order. */
export async function seenAt(url: string) {
  const { pathname, search } = new URL(url);
  return (await requestsAt(pathname + search)).map(({ method, headers, bodyBase64 }) => ({
    method,
    headers,
    body: new TextDecoder().decode(bytesOf(bodyBase64)),
  }));
}

/** Lets a URL of the receiver answer that holds its requests. */
export async function releaseAt(url: string): Promise<void> {
  const { pathname, search } = new URL(url);
  await release(pathname + search);
}

export const bytesOf = (base64: string) => Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));

/** Base64(HMAC-SHA256), as a receiver computes it. */
export async function hmac(secret: string, text: string): Promise<string> {
  const key = await crypto.subtle.importKey("raw", bytesOf(secret), { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  const signature = await crypto.subtle.sign("HMAC", key, new TextEncoder().encode(text));
  return btoa(String.fromCharCode(...new Uint8Array(signature)));
}

/** Commits an event and wakes its senders. @param more of `someEvent`: its type, its time */
export async function announce(workspace: TestWorkspace, more: object = {}): Promise<string> {
  const event = someEvent(workspace.id, undefined, more);
  const committed = await commitWithEvents(env, [], [{ event }]);
  await committed.wake();
  return event.id;
}

export interface Failure {
  code: string;
  message: string;
  detail?: string;
}
export interface Webhook {
  id: string;
  url: string;
  description?: string;
  eventTypes: string[];
  naming: string;
  enabled: boolean;
  status: string;
  failingSince?: string;
  disabledReason?: { code: string; message: string };
  disabledAt?: string;
  lastDelivery?: { at: string; status: number | null; failure: Failure | null };
  previousSecretUntil?: string;
  createdAt: string;
  updatedAt: string;
  secret?: string;
}
export interface Delivery {
  eventId: string;
  type: string;
  isTest: boolean;
  status: string;
  failure?: Failure;
  attempts: {
    number: number;
    at: string;
    durationMs: number;
    status: number | null;
    failure: Failure | null;
    responseHead: string;
  }[];
  nextAttemptAt?: string;
  createdAt: string;
  finishedAt?: string;
}

/** Calls the API. @throws when it is refused */
export async function ask<T>(workspace: TestWorkspace, method: string, path: string, body?: unknown): Promise<T> {
  const response = await workspace.request(method, path, body);
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  return (await response.json<{ data: T }>()).data;
}

export const createWebhook = (workspace: TestWorkspace, more: object = {}): Promise<Webhook & { secret: string }> =>
  ask(workspace, "POST", "/v1/webhooks", { url: receiverUrl(), skipVerification: true, ...more });

/** Status, message and fields of a refusal. */
export async function refusal(response: Response) {
  const { error } = await response.json<ErrorBody>();
  const { message, fields, hints, description } = error;
  return { status: response.status, message, fields, hints, description };
}

/** Inserts a delivery with its event and attempts, as a sender would have recorded it. @returns the event's id */
export async function insertDeliveryRow(
  workspace: TestWorkspace,
  webhookId: string,
  {
    type = "asset.ready",
    status = "failed",
    failure = "bad_status",
    naming = "service",
    atMs = Date.now(),
    attempts = 1,
  } = {},
) {
  const event = someEvent(workspace.id, undefined, { type, occurredAtMs: atMs });
  await insertEvent(openDatabase(env.DB), event);
  const lastFailure = status === "delivered" ? null : failure;
  const nextAttemptAt = status === "pending" ? atMs + 3_600_000 : null;
  await env.DB.batch([
    env.DB.prepare(
      `INSERT INTO deliveries (event_id, webhook_id, workspace_id, type, naming, status, attempts, tries, first_tried_at,
        next_attempt_at, last_failure, created_at, finished_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ).bind(
      event.id,
      webhookId,
      workspace.id,
      type,
      naming,
      status,
      attempts,
      attempts,
      atMs,
      nextAttemptAt,
      lastFailure,
      atMs,
      status === "pending" ? null : atMs + 100,
    ),
    ...Array.from({ length: attempts }, (_, index) =>
      env.DB.prepare(
        `INSERT INTO delivery_attempts (event_id, webhook_id, number, started_at, duration_ms, status, failure, detail, response_head)
         VALUES (?, ?, ?, ?, 12, ?, ?, ?, 'what it said')`,
      ).bind(
        event.id,
        webhookId,
        index + 1,
        atMs + index,
        lastFailure === null ? 200 : 500,
        lastFailure,
        lastFailure === null ? null : "answered 500",
      ),
    ),
  ]);
  return event.id;
}

export const deliveriesOf = (workspace: TestWorkspace, webhookId: string, query = ""): Promise<Delivery[]> =>
  ask(workspace, "GET", `/v1/webhooks/${webhookId}/deliveries${query}`);
