import type { Env } from "../../../platform/env.ts";
import { log } from "../../../platform/log.ts";
import { wakeSender } from "../fan-out/call-sender.ts";
import { DeliveryMessage } from "../fan-out/delivery-messages.ts";

/**
 * Wakes the senders that each message names, for a new event or for a retry. The senders read from D1 what is due, so a repeated or
 * stale message sends nothing. A message is acknowledged once all of its senders have accepted the call.
 */
export async function consumeDeliveries(env: Env, batch: MessageBatch): Promise<void> {
  const calls = new Map<string, Promise<boolean>>(); // a sender is woken once for the whole batch
  const wake = (webhookId: string) => {
    const call = calls.get(webhookId) ?? wakeSender(env, webhookId);
    calls.set(webhookId, call);
    return call;
  };
  await Promise.all(
    batch.messages.map(async (message) => {
      const parsed = DeliveryMessage.safeParse(message.body);
      if (!parsed.success) {
        log("delivery.message_invalid", { messageId: message.id });
        return message.ack(); // a retry would not repair it
      }
      const isWoken = (await Promise.all(parsed.data.webhookIds.map(wake))).every(Boolean);
      if (isWoken) message.ack();
      else message.retry();
    }),
  );
}
