import type { z } from "@hono/zod-openapi";

export const EVENT_AREAS = ["media", "transform", "tracks", "ai", "live", "playback", "migration", "webhook"] as const;
export type EventArea = (typeof EVENT_AREAS)[number];

export const EVENT_OBJECT_TYPES = ["media", "live", "view", "migration_batch", "webhook"] as const;
export type EventObjectType = (typeof EVENT_OBJECT_TYPES)[number];

/** What the catalogue says about a kind beside its name. */
export interface KindFacts<Data extends z.ZodType = z.ZodType> {
  area: EventArea;
  objectType: EventObjectType;
  /** A flow of this release sends it. The other kinds are declared ahead of their flows, so that a webhook can subscribe to them. */
  isSent?: boolean;
  /** The envelope's coarse word for what has become of the object. */
  status: string;
  /** One sentence: what has happened when this is sent. */
  when: string;
  data: Data;
  example: z.output<Data>;
  /** Its name in the naming of published receivers; without one, both namings share the service's. */
  videoType?: string;
}

/** Kinds of one area; the compiler holds each example to its schema. */
export const kindsOf =
  (area: EventArea, objectType: EventObjectType) =>
  <Data extends z.ZodType>(facts: Omit<KindFacts<Data>, "area" | "objectType">): KindFacts<Data> => ({
    area,
    objectType,
    ...facts,
  });
