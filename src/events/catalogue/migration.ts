import { z } from "@hono/zod-openapi";
import { kindsOf } from "./kind.ts";
import { Timestamp } from "../../records/fields.ts";
import { SAMPLE } from "./samples.ts";

const Count = z.int().nonnegative();

export const migrationKinds = {
  "migration.batch.completed": kindsOf(
    "migration",
    "migration_batch",
  )({
    status: "completed",
    when: "Every item of a migration batch has succeeded or failed; sent once for each batch.",
    data: z.strictObject({
      batchId: z.uuid(),
      source: z.string().openapi({ description: "Kind of the platform or store that the videos came from" }),
      status: z.literal("done"),
      counts: z.strictObject({
        total: Count,
        pending: Count,
        submitted: Count,
        ready: Count,
        failed: Count,
        skipped: Count,
      }),
      failedItems: z.array(
        z.strictObject({
          sourceId: z.string(),
          sourceUrl: z.string().optional(),
          error: z.strictObject({ code: z.string(), message: z.string() }),
        }),
      ),
      createdAt: Timestamp,
      completedAt: Timestamp,
    }),
    example: {
      batchId: SAMPLE.batchId,
      source: "s3",
      status: "done",
      counts: { total: 120, pending: 0, submitted: 0, ready: 118, failed: 1, skipped: 1 },
      failedItems: [
        {
          sourceId: "archive/2019/harbour.mp4",
          error: { code: "source_not_found", message: "The source's server has no such file. (status 404)" },
        },
      ],
      createdAt: "2026-05-20T09:12:40.025000Z",
      completedAt: "2026-05-20T12:31:07.481000Z",
    },
  }),
};
