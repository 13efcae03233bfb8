import { z } from "@hono/zod-openapi";
import { kindsOf } from "./kind.ts";
import { Timestamp } from "../../records/fields.ts";
import { SAMPLE } from "./samples.ts";

const Count = z.int().nonnegative();

const Counts = z.strictObject({
  total: Count,
  pending: Count,
  submitted: Count,
  ready: Count,
  failed: Count,
  skipped: Count,
});

const known = {
  batchId: z.uuid(),
  source: z.string().openapi({ description: "Kind of the platform or store that the videos come from" }),
  counts: Counts,
  createdAt: Timestamp,
  reportUrl: z.url().openapi({ description: "The report of the batch; it needs the credentials of the API" }),
};

const Running = z.strictObject({ ...known, status: z.string() });

const EXAMPLE = {
  batchId: SAMPLE.batchId,
  source: "s3",
  createdAt: "2026-05-20T09:12:40.025000Z",
  reportUrl: `https://api.example.com/v1/imports/${SAMPLE.batchId}/report`,
};

const batchKind = kindsOf("migration", "migration_batch");

export const migrationKinds = {
  "migration.batch.started": batchKind({
    isSent: true,
    status: "running",
    when: "A migration batch begins to create media, after its scan or its dry run.",
    data: Running,
    example: {
      ...EXAMPLE,
      status: "running",
      counts: { total: 120, pending: 119, submitted: 0, ready: 0, failed: 0, skipped: 1 },
    },
  }),
  "migration.batch.progress": batchKind({
    isSent: true,
    status: "running",
    when: "The counts of a running batch have changed; at most once a minute. After a retry also when its last item has ended, then with the status `done`.",
    data: Running,
    example: {
      ...EXAMPLE,
      status: "running",
      counts: { total: 120, pending: 40, submitted: 12, ready: 66, failed: 1, skipped: 1 },
    },
  }),
  "migration.batch.completed": batchKind({
    isSent: true,
    status: "completed",
    when: "Every item of a migration batch has its end; sent once for each batch.",
    data: z.strictObject({
      ...known,
      status: z.enum(["done", "cancelled"]),
      failedItems: z
        .array(
          z.strictObject({
            sourceId: z.string(),
            sourceUrl: z.string().optional(),
            error: z.strictObject({ code: z.string(), message: z.string() }),
          }),
        )
        .openapi({ description: "The first 100" }),
      failedItemsTotal: Count,
      completedAt: Timestamp,
    }),
    example: {
      ...EXAMPLE,
      status: "done",
      counts: { total: 120, pending: 0, submitted: 0, ready: 118, failed: 1, skipped: 1 },
      failedItems: [
        {
          sourceId: "archive/2019/harbour.mp4",
          error: { code: "source_not_found", message: "The source's server has no such file." },
        },
      ],
      failedItemsTotal: 1,
      completedAt: "2026-05-20T12:31:07.481000Z",
    },
  }),
};
