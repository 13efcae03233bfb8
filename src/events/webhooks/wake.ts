import type { Env } from "../../platform/env.ts";
import { log } from "../../platform/log.ts";
import type { DueDelivery } from "./sender/due.ts";
import { senderOf } from "./sender/sender-calls.ts";

/** Tells a webhook's sender that something may be due. False when it could not be told; never throws. */
export const wakeSender = (env: Env, webhookId: string, announced: DueDelivery[] = []): Promise<boolean> =>
  told(webhookId, () => senderOf(env, webhookId).wake(webhookId, announced));

/** Tells it that its webhook has changed: awaited before the change is confirmed, nothing is sent as it was before. */
export const tellSender = (env: Env, webhookId: string): Promise<boolean> =>
  told(webhookId, () => senderOf(env, webhookId).changed(webhookId));

/** The same for a webhook that starts anew: what its endpoint did before is forgotten. */
export const reviveSender = (env: Env, webhookId: string): Promise<boolean> =>
  told(webhookId, () => senderOf(env, webhookId).revive(webhookId));

async function told(webhookId: string, call: () => Promise<unknown>): Promise<boolean> {
  try {
    await call();
    return true;
  } catch (error) {
    log("sender.not_told", { webhookId, error: String(error) });
    return false;
  }
}

/** A call that has not come back after this long is not waited for. */
const CALL_MS = 1000;
const callsUnderWay = new Map<string, number>(); // webhook → since when

/** Wakes it for those who have put a message into the queue too: in a burst of events one call at a time is enough. */
export async function wakeSenderSoon(env: Env, webhookId: string, announced: DueDelivery[]): Promise<void> {
  const since = callsUnderWay.get(webhookId);
  if (since !== undefined && Date.now() - since < CALL_MS) return;
  callsUnderWay.set(webhookId, Date.now());
  await wakeSender(env, webhookId, announced);
  callsUnderWay.delete(webhookId);
}
