import { DurableObject } from "cloudflare:workers";
import type { DueDelivery } from "../src/events/webhooks/fan-out/due-delivery.ts";
import type { SenderCalls } from "../src/events/webhooks/fan-out/sender-calls.ts";
import { onAlarm, reload, reset, wake } from "../src/events/webhooks/sender/calls.ts";
import { SenderComponents } from "../src/events/webhooks/sender/components.ts";
import type { Env } from "../src/platform/env.ts";

/**
 * Sends the events of one webhook, so that a slow endpoint delays no other. D1 stores due deliveries and outcomes; this object holds the
 * attempts in flight. It is not a state machine: its state follows from the endpoint's behaviour. Each call is explained in
 * `src/events/webhooks/sender/calls.ts`.
 */
export class WebhookSender extends DurableObject<Env> implements SenderCalls {
  readonly #sender: SenderComponents;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#sender = new SenderComponents(env, ctx.storage);
  }

  wake(webhookId: string, announced: DueDelivery[] = []): void {
    wake(this.#sender, webhookId, announced);
  }

  reload(webhookId: string): void {
    reload(this.#sender, webhookId);
  }

  reset(webhookId: string): void {
    reset(this.#sender, webhookId);
  }

  override alarm(): Promise<void> {
    return onAlarm(this.#sender);
  }
}
