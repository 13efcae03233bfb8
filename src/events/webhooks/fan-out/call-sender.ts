import type { Env } from "../../../platform/env.ts";
import { errorFields, logWarning } from "../../../platform/log.ts";
import type { DueDelivery } from "./due-delivery.ts";
import { senderOf } from "./sender-calls.ts";

/** Wakes a webhook's sender because deliveries may be due. Never throws; false = the call failed. */
export const wakeSender = (env: Env, webhookId: string, announced: DueDelivery[] = []): Promise<boolean> =>
  call(webhookId, () => senderOf(env, webhookId).wake(webhookId, announced));

/** Call after a change of a webhook, and await it before confirming the change: afterwards nothing is sent with the old settings. */
export const reloadSender = (env: Env, webhookId: string): Promise<boolean> =>
  call(webhookId, () => senderOf(env, webhookId).reload(webhookId));

/** Like `reloadSender`; the sender also discards the endpoint's health. */
export const resetSender = (env: Env, webhookId: string): Promise<boolean> =>
  call(webhookId, () => senderOf(env, webhookId).reset(webhookId));

async function call(webhookId: string, method: () => Promise<unknown>): Promise<boolean> {
  try {
    await method();
    return true;
  } catch (error) {
    logWarning("sender.call_failed", { webhookId, ...errorFields(error) });
    return false;
  }
}

/** While a call has been pending for less than this, others are skipped. */
const MAX_CALL_MS = 1000;
const pendingCalls = new Map<string, number>(); // webhook → start of the call

/** Skips the call while another one is pending: in a burst, one at a time is enough, because the queue has a message for each event. */
export async function wakeSenderUnlessPending(env: Env, webhookId: string, announced: DueDelivery[]): Promise<void> {
  const startedAtMs = pendingCalls.get(webhookId);
  if (startedAtMs !== undefined && Date.now() - startedAtMs < MAX_CALL_MS) return;
  pendingCalls.set(webhookId, Date.now());
  await wakeSender(env, webhookId, announced);
  pendingCalls.delete(webhookId);
}
