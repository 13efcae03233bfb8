/** The `webhooks` section of the OpenAPI document: a request for every kind of event that this release sends. */
import { z } from "@hono/zod-openapi";
import { EVENT_KINDS, type EventKind } from "./events/catalogue/catalogue.ts";
import { EventEnvelope, exampleEvent } from "./events/catalogue/envelope.ts";
import type { newRouter } from "./platform/http/router.ts";

const Headers = z.object({
  "service-signature": z.string().openapi({
    description: "Base64 of HMAC-SHA256 over the body. The key is the secret after Base64 decoding",
    example: "hiJ/6WcioiR9z+4SwH2JwbBWe7yapqjYBIOPZqPahD8=",
  }),
  "webhook-id": z.uuid().openapi({ description: "The event's id" }),
  "webhook-timestamp": z.string().openapi({ description: "When this attempt was made, Unix seconds" }),
  "webhook-signature": z.string().openapi({
    description: "Standard Webhooks: `v1,` and Base64 of HMAC-SHA256 over id, timestamp and body",
  }),
});

export function registerEvents(app: ReturnType<typeof newRouter>): void {
  for (const kind of EVENT_KINDS.filter(({ isSent }) => isSent)) app.openAPIRegistry.registerWebhook(webhookOf(kind));
}

function webhookOf({ type, videoType, when, data }: EventKind) {
  const schema = EventEnvelope.extend({ type: z.literal(type), data });
  const otherName = videoType === type ? "" : ` With \`naming: video\` its type is \`${videoType}\`.`;
  return {
    method: "post" as const,
    path: type,
    operationId: `event-${type.replaceAll(/[._]/g, "-")}`,
    summary: type,
    description: `${when}${otherName}`,
    tags: ["Events"],
    security: [],
    request: {
      headers: Headers,
      body: { required: true, content: { "application/json": { schema, example: exampleEvent(type) } } },
    },
    responses: {
      "2XX": { description: "Accepted, also for a duplicate" },
      "4XX": { description: "Not accepted: the event is sent again. 410 disables the webhook" },
    },
  };
}
