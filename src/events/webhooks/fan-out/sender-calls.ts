import type { Env } from "../../../platform/env.ts";
import { remoteObject } from "../../../platform/machine/remote.ts";
import type { DueDelivery } from "./due-delivery.ts";

/** The calls that the Worker makes to a webhook's sender. Each returns at once and leaves the work running. */
export interface SenderCalls {
  /** Deliveries may be due. @param announced deliveries that were just committed, so that they need not be read from D1 */
  wake(webhookId: string, announced?: DueDelivery[]): void;
  /** The webhook's URL, secret or state has changed. */
  reload(webhookId: string): void;
  /** Like `reload`; also discards the endpoint's health. */
  reset(webhookId: string): void;
}

/** Returns a stub; sends nothing. */
export const senderOf = (env: Env, webhookId: string) => remoteObject<SenderCalls>(env.WEBHOOK_SENDER, webhookId);
