import { logWarning } from "../../../platform/log.ts";
import { eventBytes } from "../../index.ts";
import { attemptDelivery } from "../attempt/attempt-delivery.ts";
import { signedHeaders } from "../attempt/signature.ts";
import type { Target } from "../attempt/target.ts";
import { openEventData } from "../fan-out/redact-event.ts";
import type { ClaimedDelivery } from "./delivery-queue.ts";
import { afterOutcome } from "./endpoint-health.ts";
import type { SenderComponents } from "./components.ts";
import { settle } from "./settled-attempt.ts";

/** Signs and sends a claimed delivery. Its outcome updates the endpoint's health and goes to the recorder. */
export async function makeAttempt(
  { env, health, recorder, retryScale: scale }: SenderComponents,
  target: Target,
  { due, attempt: claimed }: ClaimedDelivery,
): Promise<void> {
  const attempt = { ...claimed, startedAtMs: Date.now() };
  const data = target.eventSecrets ? await openEventData(env, due) : null;
  const body = eventBytes(due, due.naming, data);
  const headers = await signedHeaders({ eventId: due.eventId, body, atMs: attempt.startedAtMs, keys: target.keys });
  const outcome = await attemptDelivery(env, { url: target.url, body, headers });
  const endedAtMs = Date.now();
  const { failure, status, retryAfterMs } = outcome;
  const [ok, gone] = [failure === null, failure === "gone"];
  const times = { startedAtMs: attempt.startedAtMs, atMs: endedAtMs, retryAfterMs };
  health.set(afterOutcome(health.current, { ok, gone, ...times, random: Math.random(), scale }));
  const settled = settle(due, attempt, outcome, endedAtMs, { random: Math.random(), scale });
  recorder.add(settled);
  const ids = { eventId: due.eventId, webhookId: target.webhookId };
  if (!ok) logWarning("delivery.failed", { ...ids, attempt: attempt.number, failure, status, next: settled.next });
}
