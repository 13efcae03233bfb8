import type { z } from "@hono/zod-openapi";

export const EVENT_AREAS = [
  "media",
  "transform",
  "tracks",
  "ai",
  "live",
  "playback",
  "data",
  "migration",
  "webhook",
] as const;
export type EventArea = (typeof EVENT_AREAS)[number];

export const EVENT_OBJECT_TYPES = ["media", "live", "view", "alert", "migration_batch", "webhook"] as const;
export type EventObjectType = (typeof EVENT_OBJECT_TYPES)[number];

/** What the catalogue holds about a kind, apart from its name. */
export interface KindFacts<Data extends z.ZodType = z.ZodType> {
  area: EventArea;
  objectType: EventObjectType;
  /** Whether this release sends it. Other kinds are declared in advance, so that webhooks can subscribe to them. */
  isSent?: boolean;
  /** The envelope's coarse status of the object. */
  status: string;
  /** When it is sent, in one sentence. */
  when: string;
  data: Data;
  example: z.output<Data>;
  /** Its name with `naming: "video"`; default: the same as with `naming: "service"`. */
  videoType?: string;
}

/** Kinds of one area. The compiler checks each example against its schema. */
export const kindsOf =
  (area: EventArea, objectType: EventObjectType) =>
  <Data extends z.ZodType>(facts: Omit<KindFacts<Data>, "area" | "objectType">): KindFacts<Data> => ({
    area,
    objectType,
    ...facts,
  });
