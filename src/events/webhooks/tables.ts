import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** Where a workspace's events are sent to. */
export const webhooks = sqliteTable(
  "webhooks",
  {
    id: text().primaryKey(),
    workspaceId: text().notNull(),
    url: text().notNull(),
    description: text(),
    /** As the owner wrote them: names in either naming, or prefixes such as `video.media.*`; [] = all. */
    eventTypes: text({ mode: "json" }).$type<string[]>().notNull(),
    /** The same as the service's names, for the fan-out; null = all. */
    matchedTypes: text({ mode: "json" }).$type<string[]>(),
    /** The catalogue that they were matched with; the cron matches again when it has changed. */
    matchedVersion: text(),
    naming: text({ enum: ["service", "video"] }).notNull(),
    /** Secrets of streams and simulcast targets are in the events that it gets; otherwise they are redacted. */
    eventSecrets: integer({ mode: "boolean" }).notNull().default(false),
    /** The owner's wish. While it is false no event is queued, and what is queued waits. */
    enabled: integer({ mode: "boolean" }).notNull(),
    secret: text().notNull(), // sealed, see secrets.ts
    previousSecret: text(), // sealed; signs beside the new one until then
    previousSecretUntil: integer({ mode: "timestamp_ms" }),

    // Written by the webhook's sender.
    failingSince: integer({ mode: "timestamp_ms" }), // the first failure since the last success
    disabledReason: text({ enum: ["gone", "failing_for_five_days"] }),
    disabledAt: integer({ mode: "timestamp_ms" }),
    lastAttemptAt: integer({ mode: "timestamp_ms" }),
    lastStatus: integer(), // HTTP; null = no answer
    lastFailure: text(), // a code of failures.ts; null = delivered

    createdAt: integer({ mode: "timestamp_ms" }).notNull(),
    updatedAt: integer({ mode: "timestamp_ms" }).notNull(),
    deletedAt: integer({ mode: "timestamp_ms" }), // its deliveries stay in the log of its events
  },
  (t) => [index("webhooks_in_workspace").on(t.workspaceId, t.createdAt)],
);

/** One event on its way to one webhook. */
export const deliveries = sqliteTable(
  "deliveries",
  {
    eventId: text().notNull(),
    webhookId: text().notNull(),
    workspaceId: text().notNull(),
    type: text().notNull(), // the event's, by the service's naming
    naming: text({ enum: ["service", "video"] }).notNull(), // as when the event was born: every attempt sends the same bytes
    status: text({ enum: ["pending", "delivered", "failed", "cancelled"] }).notNull(),
    attempts: integer().notNull().default(0), // ever made
    tries: integer().notNull().default(0), // of the schedule that runs now
    firstTriedAt: integer({ mode: "timestamp_ms" }), // of the schedule that runs now
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

/** Every POST that was made, or begun and then cut off by a restart of ours. */
export const deliveryAttempts = sqliteTable(
  "delivery_attempts",
  {
    eventId: text().notNull(),
    webhookId: text().notNull(),
    number: integer().notNull(), // counts from 1 within the delivery
    startedAt: integer({ mode: "timestamp_ms" }).notNull(),
    durationMs: integer().notNull(),
    status: integer(), // HTTP; null = no answer
    failure: text(), // a code of failures.ts; null = delivered
    detail: text(), // more words on the failure
    responseHead: text().notNull(), // the first 4 KB of the answer
  },
  (t) => [
    primaryKey({ columns: [t.eventId, t.webhookId, t.number] }),
    index("delivery_attempts_by_age").on(t.startedAt),
  ],
);
