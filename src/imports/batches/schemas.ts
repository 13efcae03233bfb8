import { z } from "@hono/zod-openapi";
import { Timestamp } from "../../records/fields.ts";
import { line } from "../../platform/http/fields.ts";
import { SourceBody } from "../sources/index.ts";
import { BATCH_STATES, ITEM_STATES } from "./batch-calls.ts";

const MAX_IDS = 1000;

const Selection = z
  .strictObject({
    ids: z
      .array(z.string().min(1).max(1024))
      .min(1)
      .max(MAX_IDS)
      .optional()
      .openapi({ description: "Ids at the source, up to 1,000; absent = all videos" }),
    createdAfter: z.iso
      .datetime({ offset: true })
      .optional()
      .openapi({ description: "Created at the source then or later" }),
    createdBefore: z.iso
      .datetime({ offset: true })
      .optional()
      .openapi({ description: "Created at the source before then" }),
    limit: z
      .int()
      .min(1)
      .max(500_000)
      .optional()
      .openapi({ description: "The first so many, in the order of the source" }),
  })
  .openapi("ImportSelection");

const Settings = z
  .strictObject({
    accessPolicy: z.enum(["asSource", "public", "private"]).default("asSource").openapi({
      description: "`asSource`: public videos stay public, and everything else is `private` here",
    }),
    maxResolution: z.enum(["2160p", "1440p", "1080p", "720p", "480p"]).default("1080p"),
    mediaQuality: z.enum(["standard", "pro", "premium"]).default("standard"),
    mp4Support: z.enum(["none", "capped_4k", "audioOnly", "audioOnly,capped_4k"]).default("none"),
    captions: z.boolean().default(true).openapi({ description: "Carries captions over, with their languages" }),
    metadata: z
      .record(z.string().min(1).max(255), line(255))
      .nullable()
      .default(null)
      .openapi({
        description:
          "Names of the source's metadata → names here; others are left out. null = all, under their own names. A media has 10 pairs at most, the first of which is `originPlaformVideoId`",
        example: { external_id: "sku" },
      }),
  })
  .openapi("ImportSettings");

export const CreateImport = z
  .strictObject({
    source: SourceBody,
    credentialId: z.uuid().optional().openapi({ description: "Of POST /v1/imports/credentials" }),
    credentials: z.record(z.string(), z.string()).optional().openapi({
      description: "In place of `credentialId`: stored sealed, and deleted when the batch has ended",
    }),
    selection: Selection.prefault({}),
    settings: Settings.prefault({}),
    dryRun: z.boolean().default(false).openapi({
      description: "Ends the scan with the state `scanned`: nothing is created until POST /v1/imports/{importId}/start",
    }),
    statusUrl: z.string().min(1).optional().openapi({
      description: "Gets the batch's events, signed with a secret of its own; verified as the URL of a webhook",
      example: "https://app.example.com/hooks/migration",
    }),
  })
  .openapi("CreateImport");
export type CreateImport = z.output<typeof CreateImport>;

const Count = z.int().nonnegative();

const ImportCounts = z
  .object({ total: Count, pending: Count, submitted: Count, ready: Count, failed: Count, skipped: Count })
  .openapi("ImportCounts");

const ItemProblem = z.object({ code: z.string(), message: z.string() }).openapi("ImportProblem");

export const ImportRecord = z
  .object({
    id: z.uuid(),
    status: z.enum(BATCH_STATES).openapi({
      description:
        "`scanning` the source's list; `scanned`: a dry run that waits for its start; `running`; `paused`: by you, or by the problem; `done`: each item has its end; `cancelled`",
    }),
    source: z
      .record(z.string(), z.union([z.string(), z.number(), z.boolean()]))
      .openapi({ description: "As it was given, without items of a list", example: { type: "mux" } }),
    selection: Selection,
    settings: Settings,
    dryRun: z.boolean(),
    credentialId: z.uuid().optional(),
    counts: ImportCounts,
    problem: ItemProblem.optional().openapi({ description: "Why it waits or was paused" }),
    scanned: Count.optional().openapi({ description: "Videos of the source's list that were read" }),
    preparedAtSource: Count.optional().openapi({
      description: "Pending videos whose file the source was asked to prepare, such as a master or a download",
    }),
    nextAttemptAt: Timestamp.optional().openapi({ description: "When the source is asked again" }),
    itemsPerMinute: z.number().optional(),
    secondsLeft: Count.optional(),
    reportUrl: z.url(),
    createdAt: Timestamp,
    updatedAt: Timestamp,
    startedAt: Timestamp.optional(),
    completedAt: Timestamp.optional(),
  })
  .openapi("Import");

export const CreatedImport = ImportRecord.extend({
  statusWebhook: z
    .object({
      id: z.uuid(),
      secret: z.string().openapi({
        description: "Signs the events to `statusUrl`. Shown once",
        example: "c2FtcGxlIHNlY3JldCwgdGhpcnR5LXR3byBieXRlcyE=",
      }),
    })
    .optional(),
}).openapi("CreatedImport");

export const ImportItem = z
  .object({
    sourceId: z.string(),
    title: z.string().optional(),
    sourceUrl: z.string().optional().openapi({ description: "Of lists, without its query and tokens in its path" }),
    status: z.enum(ITEM_STATES),
    mediaId: z.uuid().optional(),
    playbackId: z.uuid().optional().openapi({ description: "The new one" }),
    oldPlaybackIds: z.array(z.string()),
    durationMs: Count.optional(),
    bytes: Count.optional(),
    error: ItemProblem.optional(),
    differences: z
      .array(z.object({ field: z.string(), message: z.string() }))
      .openapi({ description: "What the new media does not have as the source had it" }),
    updatedAt: Timestamp,
  })
  .openapi("ImportItem");

export const StartImport = z
  .strictObject({
    exclude: z
      .array(z.string().min(1).max(1024))
      .max(MAX_IDS)
      .default([])
      .openapi({ description: "Ids at the source that are left out" }),
  })
  .openapi("StartImport");

export const ResumeImport = z
  .strictObject({ credentialId: z.uuid().optional().openapi({ description: "Other credentials than before" }) })
  .openapi("ResumeImport");

export const RetryImport = z
  .strictObject({
    items: z
      .array(z.string().min(1).max(1024))
      .min(1)
      .max(MAX_IDS)
      .optional()
      .openapi({ description: "Ids at the source; absent = every failed item" }),
  })
  .openapi("RetryImport");

export const ItemStatus = z.enum(ITEM_STATES);
