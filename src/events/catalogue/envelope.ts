import { z } from "@hono/zod-openapi";
import { CATALOGUE, type EventType, type Naming, nameIn } from "./catalogue.ts";
import { EVENT_OBJECT_TYPES } from "./kind.ts";
import { SAMPLE, SAMPLE_OBJECT_IDS } from "./samples.ts";

/** The body of a delivery, with its fields in the order in which they are sent. */
export const EventEnvelope = z
  .object({
    type: z.string().openapi({ description: "Kind of event, in the webhook's naming" }),
    object: z.object({ type: z.enum(EVENT_OBJECT_TYPES), id: z.string() }),
    id: z.uuid().openapi({ description: "The same for all attempts and webhooks, to discard duplicates" }),
    event_id: z.uuid().openapi({ description: "The same as `id`" }),
    workspace: z.object({ id: z.uuid(), name: z.string() }),
    status: z.string().openapi({ description: "Coarse status of the object" }),
    data: z.record(z.string(), z.any()).openapi({ description: "Depends on the kind" }),
    createdAt: z.iso
      .datetime({ precision: 9 })
      .openapi({ description: "UTC with nine fraction digits; rises strictly for each object" }),
    attempts: z.array(z.unknown()).max(0).openapi({ description: "Always empty" }),
    isTest: z
      .literal(true)
      .optional()
      .openapi({ description: "A sample, sent by a test of the webhook: its object does not exist. Otherwise absent" }),
  })
  .openapi("Event");

/** A complete example event of this kind. */
export function exampleEvent(type: EventType, naming: Naming = "service"): z.output<typeof EventEnvelope> {
  const { objectType, status, example } = CATALOGUE[type];
  return {
    type: nameIn(naming, type),
    object: { type: objectType, id: SAMPLE_OBJECT_IDS[objectType] },
    id: SAMPLE.eventId,
    event_id: SAMPLE.eventId,
    workspace: { id: SAMPLE.workspaceId, name: "Production" },
    status,
    data: structuredClone(example) as Record<string, unknown>, // a copy, which the caller may change
    createdAt: "2026-05-20T12:50:24.318000000Z",
    attempts: [],
  };
}
