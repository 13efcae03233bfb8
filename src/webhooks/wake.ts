import type { WebhookSender } from "../../durable-objects/webhook-sender.ts";
import type { Env } from "../env.ts";
import { log } from "../http/log.ts";

const senderOf = (env: Env, webhookId: string) =>
  env.WEBHOOK_SENDER.get(env.WEBHOOK_SENDER.idFromName(webhookId)) as DurableObjectStub<WebhookSender>;

/** Tells a webhook's sender that something may be due. False when it could not be told; never throws. */
export async function wakeSender(env: Env, webhookId: string): Promise<boolean> {
  try {
    await senderOf(env, webhookId).wake(webhookId);
    return true;
  } catch (error) {
    log("sender.not_woken", { webhookId, error: String(error) });
    return false;
  }
}

/** The same for a webhook that starts anew: what its endpoint did before is forgotten. */
export async function reviveSender(env: Env, webhookId: string): Promise<boolean> {
  try {
    await senderOf(env, webhookId).revive(webhookId);
    return true;
  } catch (error) {
    log("sender.not_revived", { webhookId, error: String(error) });
    return false;
  }
}

/** A call that has not come back after this long is not waited for. */
const CALL_MS = 1000;
const callsUnderWay = new Map<string, number>(); // webhook → since when

/** The same for those who have put a message into the queue too: in a burst of events one call at a time is enough. */
export async function wakeSenderSoon(env: Env, webhookId: string): Promise<void> {
  const since = callsUnderWay.get(webhookId);
  if (since !== undefined && Date.now() - since < CALL_MS) return;
  callsUnderWay.set(webhookId, Date.now());
  await wakeSender(env, webhookId);
  callsUnderWay.delete(webhookId);
}
