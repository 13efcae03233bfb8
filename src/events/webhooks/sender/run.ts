import { errorFields, logError, logWarning } from "../../../platform/log.ts";
import type { Target } from "../attempt/target.ts";
import { disableWebhook } from "./disable-webhook.ts";
import { nextDueAt } from "./due.ts";
import { disabledBecause, nextProbeAtMs } from "./endpoint-health.ts";
import type { SenderComponents } from "./components.ts";
import { recordUnfinished } from "./record-unfinished.ts";
import { alarmAtMs } from "./retries.ts";
import { hasStartedAll, sendDue } from "./send-due.ts";

const RESTART_AFTER_ERROR_MS = 5000;

/** Starts a run, or makes the current one check again for due deliveries. Never throws. */
export function startRun(sender: SenderComponents, webhookId: string): Promise<void> {
  sender.woken.set();
  sender.run ??= runUntilRest(sender, webhookId)
    .catch(async (error: unknown) => {
      logError("sender.failed", { webhookId, ...errorFields(error) });
      await sender.storage.setAlarm(Date.now() + RESTART_AFTER_ERROR_MS);
    })
    .finally(() => {
      sender.run = null;
    });
  return sender.run;
}

/** Sends until nothing is due, or until the run has made its share of attempts. Then it sets the alarm for the next run. */
async function runUntilRest(sender: SenderComponents, webhookId: string): Promise<void> {
  await Promise.allSettled(sender.underWay.all);
  await recordUnfinished(sender, webhookId);
  sender.underWay.beginRun();
  for (;;) {
    sender.woken.clear();
    const target = await sender.target.read(webhookId);
    if (target === null) return await sender.deleteState(); // the webhook was deleted
    if (!target.isOpen) return await rest(sender, null);
    await sendDue(sender, target);
    if (await disableIfFailed(sender, target)) return await rest(sender, null);
    if (hasStartedAll(sender)) return await rest(sender, Date.now());
    if (sender.target.isEmpty) continue; // the webhook has changed
    const dueAtMs = await Promise.race([nextDueAt(sender.env, webhookId), sender.woken.wait]);
    if (dueAtMs === undefined) continue; // woken
    return await rest(sender, dueAtMs);
  }
}

/** @param dueAtMs when the next delivery is due, epoch ms; null = no alarm is needed */
async function rest(sender: SenderComponents, dueAtMs: number | null): Promise<void> {
  sender.queue.release();
  if (dueAtMs === null) return await sender.storage.deleteAlarm();
  const nowMs = Date.now();
  const notBeforeMs = Math.max(nextProbeAtMs(sender.health.current) ?? 0, nowMs + 1);
  await sender.storage.setAlarm(Math.max(alarmAtMs(dueAtMs, nowMs, sender.retryScale), notBeforeMs));
}

/** Disables the webhook if its endpoint is gone or has failed for too long. @returns whether it is disabled now */
async function disableIfFailed(sender: SenderComponents, target: Target): Promise<boolean> {
  const { current } = sender.health;
  const reason = disabledBecause(current, Date.now());
  if (reason === null) return false;
  const { wake } = await disableWebhook(sender.env, target, reason, current.failingSinceMs, Date.now());
  sender.target.clear();
  logWarning("webhook.disabled", { webhookId: target.webhookId, reason });
  void wake();
  return true;
}
