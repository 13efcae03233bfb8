export { consumeDeadDeliveries } from "./deliveries/consume-dead-deliveries.ts";
export { consumeDeliveries } from "./deliveries/consume-deliveries.ts";
export { sweepDeliveries } from "./deliveries/sweep-deliveries.ts";
export { refreshMatchedTypes } from "./endpoints/refresh-matched-types.ts";
export { resealSecrets } from "./endpoints/reseal-secrets.ts";
export { type Committed, commitWithEvents } from "./fan-out/commit-with-events.ts";
export { deleteObjectWebhooks, objectWebhook } from "./endpoints/object-webhook.ts";
export { urlIssues as webhookUrlIssues } from "./endpoints/schemas.ts";
