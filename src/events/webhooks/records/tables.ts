import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** The webhooks of workspaces. */
export const webhooks = sqliteTable(
  "webhooks",
  {
    id: text().primaryKey(),
    workspaceId: text().notNull(),
    url: text().notNull(),
    description: text(),
    /** As the owner wrote them: names in either naming, or prefixes such as `video.media.*`. Releases before 2026-11-22 stored [] for all. */
    eventTypes: text({ mode: "json" }).$type<string[]>().notNull(),
    /** The kinds that `eventTypes` matches, by the service's names. The fan-out uses these. null = all. */
    matchedTypes: text({ mode: "json" }).$type<string[]>(),
    /** The catalogue's version that `matchedTypes` was resolved with. When it changes, the cron resolves the types again. */
    matchedVersion: text(),
    naming: text({ enum: ["service", "video"] }).notNull(),
    /** Events to this webhook include the secrets of streams and simulcast targets; otherwise they are redacted. */
    eventSecrets: integer({ mode: "boolean" }).notNull().default(false),
    /** Set by the owner. While false, new events create no delivery and pending deliveries wait. */
    enabled: integer({ mode: "boolean" }).notNull(),
    /** It gets the events of this object only, such as a migration batch, and is neither listed nor counted; null = those of the workspace. */
    objectId: text(),
    secret: text().notNull(), // sealed, see secrets.ts
    previousSecret: text(), // sealed; signs in addition to the current one until `previousSecretUntil`
    previousSecretUntil: integer({ mode: "timestamp_ms" }),

    // Written by the webhook's sender.
    failingSince: integer({ mode: "timestamp_ms" }), // the first failure since the last success
    disabledReason: text({ enum: ["gone", "failing_for_five_days"] }),
    disabledAt: integer({ mode: "timestamp_ms" }),
    lastAttemptAt: integer({ mode: "timestamp_ms" }),
    lastStatus: integer(), // HTTP; null = no response
    lastFailure: text(), // a code of failures.ts; null = delivered

    createdAt: integer({ mode: "timestamp_ms" }).notNull(),
    updatedAt: integer({ mode: "timestamp_ms" }).notNull(),
    deletedAt: integer({ mode: "timestamp_ms" }), // the row stays for the logs of its deliveries
  },
  (t) => [
    index("webhooks_in_workspace").on(t.workspaceId, t.createdAt),
    index("webhooks_of_object")
      .on(t.objectId)
      .where(sql`object_id IS NOT NULL`),
  ],
);

/** One event for one webhook. */
export const deliveries = sqliteTable(
  "deliveries",
  {
    eventId: text().notNull(),
    webhookId: text().notNull(),
    workspaceId: text().notNull(),
    type: text().notNull(), // the event's, by the service's naming
    naming: text({ enum: ["service", "video"] }).notNull(), // the webhook's when the event was created, so that every attempt sends the same bytes
    status: text({ enum: ["pending", "delivered", "failed", "cancelled"] }).notNull(),
    attempts: integer().notNull().default(0), // ever made
    schedule: integer().notNull().default(0), // counts redeliveries and recoveries; each begins a new schedule of tries
    tries: integer().notNull().default(0), // of the current schedule
    firstTriedAt: integer({ mode: "timestamp_ms" }), // of the current schedule
    nextAttemptAt: integer({ mode: "timestamp_ms" }), // null unless pending
    lastFailure: text(), // a code of failures.ts
    createdAt: integer({ mode: "timestamp_ms" }).notNull(),
    finishedAt: integer({ mode: "timestamp_ms" }),
  },
  (t) => [
    primaryKey({ columns: [t.eventId, t.webhookId] }),
    index("deliveries_due_for_webhook").on(t.webhookId, t.status, t.nextAttemptAt, t.eventId),
    index("deliveries_due").on(t.status, t.nextAttemptAt),
    index("deliveries_of_webhook").on(t.webhookId, t.createdAt, t.eventId),
    index("deliveries_by_age").on(t.createdAt),
  ],
);

/** Every attempt, including those that a restart interrupted. */
export const deliveryAttempts = sqliteTable(
  "delivery_attempts",
  {
    eventId: text().notNull(),
    webhookId: text().notNull(),
    number: integer().notNull(), // counts from 1 within the delivery
    startedAt: integer({ mode: "timestamp_ms" }).notNull(),
    durationMs: integer().notNull(),
    status: integer(), // HTTP; null = no response
    failure: text(), // a code of failures.ts; null = delivered
    detail: text(), // details of the failure
    responseHead: text().notNull(), // the first 4 KB of the response body
  },
  (t) => [
    primaryKey({ columns: [t.eventId, t.webhookId, t.number] }),
    index("delivery_attempts_by_age").on(t.startedAt),
  ],
);
