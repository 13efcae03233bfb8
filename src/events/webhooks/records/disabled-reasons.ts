import type { webhooks } from "./tables.ts";

/** Why the service disabled a webhook. */
export type DisabledReason = NonNullable<typeof webhooks.$inferSelect.disabledReason>;

/** For the webhook's owner. */
export const DISABLED_MESSAGES: Record<DisabledReason, string> = {
  gone: "The endpoint answered 410 Gone: it accepts no more events.",
  failing_for_five_days: "Every attempt for five days has failed.",
};
