import type { Env } from "../../../platform/env.ts";
import type { DueDelivery } from "./due.ts";

/** What the Worker asks of a webhook's sender. Every call answers at once; the work goes on. */
export interface SenderCalls {
  /** @param announced deliveries that have just been committed: they need not be looked up */
  wake(webhookId: string, announced?: DueDelivery[]): void;
  /** The webhook has another URL, secret or state. */
  changed(webhookId: string): void;
  /** The same, and the health of its endpoint starts anew. */
  revive(webhookId: string): void;
}

export const senderOf = (env: Env, webhookId: string) =>
  env.WEBHOOK_SENDER.get(env.WEBHOOK_SENDER.idFromName(webhookId)) as DurableObjectStub<
    SenderCalls & Rpc.DurableObjectBranded
  >;
