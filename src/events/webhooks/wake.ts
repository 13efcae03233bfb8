import type { Env } from "../../platform/env.ts";
import { logWarning } from "../../platform/log.ts";
import type { DueDelivery } from "./sender/due.ts";
import { senderOf } from "./sender/sender-calls.ts";

/** Wakes a webhook's sender because deliveries may be due. Never throws; false = the call failed. */
export const wakeSender = (env: Env, webhookId: string, announced: DueDelivery[] = []): Promise<boolean> =>
  call(webhookId, () => senderOf(env, webhookId).wake(webhookId, announced));

/** After a change of a webhook. Awaited before the change is confirmed, so that nothing is sent with the old settings afterwards. */
export const reloadSender = (env: Env, webhookId: string): Promise<boolean> =>
  call(webhookId, () => senderOf(env, webhookId).reload(webhookId));

/** The same, and the sender forgets how the endpoint behaved before. */
export const resetSender = (env: Env, webhookId: string): Promise<boolean> =>
  call(webhookId, () => senderOf(env, webhookId).reset(webhookId));

async function call(webhookId: string, method: () => Promise<unknown>): Promise<boolean> {
  try {
    await method();
    return true;
  } catch (error) {
    logWarning("sender.call_failed", { webhookId, error: String(error) });
    return false;
  }
}

/** A call that has taken longer than this no longer holds back others. */
const MAX_CALL_MS = 1000;
const pendingCalls = new Map<string, number>(); // webhook → start of the call

/** Skips the call while another one is pending: in a burst one call at a time is enough, because the queue has a message for each event. */
export async function wakeSenderUnlessPending(env: Env, webhookId: string, announced: DueDelivery[]): Promise<void> {
  const startedAtMs = pendingCalls.get(webhookId);
  if (startedAtMs !== undefined && Date.now() - startedAtMs < MAX_CALL_MS) return;
  pendingCalls.set(webhookId, Date.now());
  await wakeSender(env, webhookId, announced);
  pendingCalls.delete(webhookId);
}
