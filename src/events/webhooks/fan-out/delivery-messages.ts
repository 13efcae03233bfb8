import { z } from "zod";
import type { Env } from "../../../platform/env.ts";
import { errorFields, logWarning } from "../../../platform/log.ts";

/** A message of the queue `sluice-webhook-deliveries`: ids only. The sender reads everything else from D1, so a stale message is harmless. */
export const DeliveryMessage = z.object({ eventId: z.string(), webhookIds: z.array(z.string()) });
export type DeliveryMessage = z.infer<typeof DeliveryMessage>;

export interface DelayedMessage extends DeliveryMessage {
  delaySeconds: number;
}

/** Cloudflare's limit on `delaySeconds`: 12 h. No retry waits longer (`MAX_RETRY_GAP_MS`). */
export const MAX_DELAY_SECONDS = 43_200;
/** Messages in one `sendBatch`. Each is at most 2 KB (50 webhooks), so a full batch stays below the limit of 256 KB. */
const MAX_BATCH_MESSAGES = 100;

/** Rounded up, because the queue counts whole seconds and a message that arrives early finds nothing due. */
export const delaySecondsUntil = (atMs: number, nowMs: number): number =>
  Math.min(Math.max(Math.ceil((atMs - nowMs) / 1000), 0), MAX_DELAY_SECONDS);

/** Never throws: the sender's alarm and the cron recover from a lost message. */
export async function enqueueDeliveries(env: Env, messages: DelayedMessage[]): Promise<void> {
  const batch = messages.map(({ delaySeconds, ...body }) => ({ body, delaySeconds }));
  try {
    for (let at = 0; at < batch.length; at += MAX_BATCH_MESSAGES)
      await env.DELIVERIES.sendBatch(batch.slice(at, at + MAX_BATCH_MESSAGES));
  } catch (error) {
    logWarning("deliveries.not_enqueued", { messages: messages.length, ...errorFields(error) });
  }
}
