import { commit, openDatabase } from "../../../platform/database.ts";
import type { Env } from "../../../platform/env.ts";
import { withKeys } from "../../../platform/http/with-keys.ts";
import { log } from "../../../platform/log.ts";
import { eventBytes, type EventType, findEvent, insertEvent, isEventType, nameIn, resolveTypes } from "../../index.ts";
import { attemptDelivery } from "../attempt/attempt-delivery.ts";
import { signedHeaders } from "../attempt/signature.ts";
import { toTarget } from "../attempt/target.ts";
import { findWebhook, type Webhook, type WebhookKey } from "../endpoints/repository.ts";
import { openEventData, redactEvent } from "../fan-out/redact-event.ts";
import { deliveries, deliveryAttempts } from "../records/tables.ts";
import type { AttemptRow } from "./repository.ts";
import { sampleOf } from "./sample-event.ts";

export interface WebhookTest {
  eventId: string;
  type: string; // in the webhook's naming
  attempt: AttemptRow;
}

/**
 * Sends one signed sample event at once, whatever the webhook's state, without retries. Its outcome does not affect the endpoint's health.
 *
 * @param name of a kind, in either naming
 * @returns null when the webhook does not exist
 * @throws {Problem} unavailable
 */
export async function testWebhook(env: Env, key: WebhookKey, name: string, now: Date): Promise<WebhookTest | null> {
  const db = openDatabase(env.DB);
  const webhook = await findWebhook(db, key);
  if (webhook === null) return null;
  const { keys, eventSecrets } = await withKeys(env, (sealing) =>
    toTarget({ ...env, WEBHOOK_KEYS: sealing }, webhook, now.getTime()),
  );
  const eventId = crypto.randomUUID();
  const type = kindNamed(name);
  const sample = await redactEvent(env, {
    id: eventId,
    workspaceId: key.workspaceId,
    occurredAtMs: now.getTime(),
    isTest: true,
    ...sampleOf(type, key.workspaceId),
  });
  await insertEvent(db, sample);
  const event = await findEvent(db, eventId);
  if (event === null) throw new Error("the sample event was deleted before it was sent");
  const body = eventBytes(
    event,
    webhook.naming,
    eventSecrets ? await openEventData(env, { eventId, ...sample }) : null,
  );
  const headers = await signedHeaders({ eventId, body, atMs: Date.now(), keys });
  const startedAt = new Date();
  const outcome = await attemptDelivery(env, { url: webhook.url, body, headers });
  const { status, failure, detail, responseHead } = outcome;
  const durationMs = Math.round(outcome.durationMs);
  const attempt = {
    eventId,
    webhookId: webhook.id,
    number: 1,
    startedAt,
    durationMs,
    status,
    failure,
    detail,
    responseHead,
  };
  await record(env, webhook, type, attempt);
  log("webhook.tested", { ...key, eventId, type, failure, status });
  return { eventId, type: nameIn(webhook.naming, type), attempt };
}

/** A `video` name may be the name of two kinds, of which the first is about a media. The route has checked that there is at least one. */
const kindNamed = (name: string): EventType => (isEventType(name) ? name : resolveTypes(name)[0]!);

async function record(env: Env, webhook: Webhook, type: EventType, attempt: AttemptRow): Promise<void> {
  const db = openDatabase(env.DB);
  const { eventId, startedAt, durationMs, failure } = attempt;
  await commit(env.DB, [
    db.insert(deliveries).values({
      eventId,
      webhookId: webhook.id,
      workspaceId: webhook.workspaceId,
      type,
      naming: webhook.naming,
      status: failure === null ? "delivered" : "failed",
      attempts: 1,
      tries: 1,
      firstTriedAt: startedAt,
      lastFailure: failure,
      createdAt: startedAt,
      finishedAt: new Date(startedAt.getTime() + durationMs),
    }),
    db.insert(deliveryAttempts).values(attempt),
  ]);
}
