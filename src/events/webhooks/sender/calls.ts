/** The calls of a webhook's sender (`SenderCalls`) and its alarm. */
import type { DueDelivery } from "../fan-out/due-delivery.ts";
import { newHealth } from "./endpoint-health.ts";
import type { SenderComponents } from "./components.ts";
import { startRun } from "./run.ts";

/** When a run starts, the alarm is set this far ahead, in case the object crashes. Longer than an attempt may take. */
const WATCHDOG_MS = 20_000;
/** A younger object may have restarted and lost its memory of recorded attempts, so it reads from D1 and ignores announced deliveries. */
const MIN_AGE_FOR_ANNOUNCED_MS = 5000;

/** Starts a run, or makes the current one check again for due deliveries. */
export function wake(sender: SenderComponents, webhookId: string, announced: DueDelivery[]): void {
  sender.webhookId = webhookId;
  if (sender.run === null) void sender.storage.setAlarm(Date.now() + WATCHDOG_MS);
  const isOldEnough = Date.now() - sender.createdAtMs > MIN_AGE_FOR_ANNOUNCED_MS;
  if (announced.length > 0 && !sender.target.isEmpty && isOldEnough) sender.queue.push(announced);
  else sender.queue.restart();
  void startRun(sender, webhookId);
}

/** Reads the webhook again, because it has changed. */
export function reload(sender: SenderComponents, webhookId: string): void {
  sender.target.clear();
  wake(sender, webhookId, []);
}

/** Reloads the webhook and discards the endpoint's health. */
export function reset(sender: SenderComponents, webhookId: string): void {
  sender.health.set(newHealth());
  reload(sender, webhookId);
}

export async function onAlarm(sender: SenderComponents): Promise<void> {
  const { webhookId } = sender;
  if (webhookId === undefined) return;
  sender.queue.restart();
  await startRun(sender, webhookId);
}
