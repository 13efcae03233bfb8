import { index, integer, real, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { ALERT_METRICS, ALERT_OPERATORS, ALERT_SEVERITIES } from "../../events/index.ts";

/** Alert rules and their state. Written by `repository.ts` of this folder. */
export const alertRules = sqliteTable(
  "alert_rules",
  {
    id: text().primaryKey(), // UUID
    workspaceId: text().notNull(),
    name: text().notNull(),
    metric: text({ enum: ALERT_METRICS }).notNull(),
    operator: text({ enum: ALERT_OPERATORS }).notNull(),
    thresholdValue: real().notNull(), // a share, or milliseconds
    minViews: integer().notNull(),
    severity: text({ enum: ALERT_SEVERITIES }).notNull(),
    cooldownMinutes: integer().notNull(),
    recoveryBucketCount: integer().notNull(),
    filters: text({ mode: "json" }).$type<string[]>().notNull(), // "dimension:value"
    createdAt: integer({ mode: "timestamp_ms" }).notNull(),
    updatedAt: integer({ mode: "timestamp_ms" }).notNull(), // by a caller

    // the state
    status: text({ enum: ["ok", "triggered"] }).notNull(),
    triggeredAtMs: integer(), // the end of the bucket that last triggered it; null = never
    healthyBuckets: integer().notNull(), // in a row, while triggered
    evaluatedUntilMs: integer().notNull(), // the end of the last evaluated bucket; a few ms later when its evaluation has failed
    lastViews: integer(), // of that bucket; null = none yet
    lastValue: real(), // null = no view had a value
  },
  (t) => [
    index("alert_rules_in_workspace").on(t.workspaceId, t.createdAt, t.id),
    index("alert_rules_by_evaluation").on(t.evaluatedUntilMs),
  ],
);
