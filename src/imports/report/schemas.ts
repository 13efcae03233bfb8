import { z } from "@hono/zod-openapi";
import { ImportRecord, ItemStatus } from "../batches/schemas.ts";

const Count = z.int().nonnegative();
const Group = { items: Count, examples: z.array(z.string()).openapi({ description: "Ids at the source" }) };

export const ImportReport = z
  .object({
    import: ImportRecord,
    found: z
      .object({
        videos: Count.openapi({ description: "That will be fetched, or were" }),
        hours: z.number(),
        isHoursEstimated: z
          .boolean()
          .openapi({ description: "The source says no duration of some: 5 min are assumed" }),
        sourceBytes: Count,
        isBytesEstimated: z.boolean(),
        policies: z.record(z.string(), Count).openapi({ description: "At the source: public, private, drm" }),
        resolutions: z.record(z.string(), Count),
        captions: Count,
        captionsUnknown: Count.openapi({ description: "Videos whose captions are asked for one by one" }),
        furtherAudioTracks: Count,
        withChapters: Count,
        playbackIds: Count,
        repeated: Count.openapi({ description: "Listed more than once" }),
        alreadyImported: Count,
      })
      .openapi("ImportFound"),
    estimate: z
      .object({
        onceUsd: z.number().openapi({
          description: "Encoding, at Cloudflare's list prices of November 2026, without what a plan includes",
        }),
        monthlyUsd: z.number().openapi({ description: "Storage" }),
        storedBytes: Count,
        totalSeconds: Count,
        encodingSeconds: Count,
        sourceSeconds: Count.openapi({ description: "That the source's published limits alone need" }),
      })
      .openapi("ImportEstimate"),
    missingPermissions: z
      .array(z.object({ permission: z.string(), message: z.string() }))
      .openapi({ description: "What the credentials lack, and what does not work without it" }),
    lost: z
      .array(z.object({ what: z.string(), videos: Count.optional().openapi({ description: "Absent = all" }) }))
      .openapi({ description: "What the new media will not have" }),
    sampled: Count.openapi({ description: "Videos of a dry run that were tried" }),
    obstacles: z
      .array(z.object({ sourceId: z.string(), title: z.string().optional(), code: z.string(), message: z.string() }))
      .openapi({
        description:
          "Videos that cannot be fetched, as the list or the sample says, and rows of a list that are left out: at most 1,000",
      }),
    reasons: z
      .array(z.object({ status: z.string(), code: z.string(), message: z.string(), ...Group }))
      .openapi({ description: "Why items failed or were left out" }),
    differences: z
      .array(z.object({ field: z.string(), message: z.string(), ...Group }))
      .openapi({ description: "What ready media do not have as the source had it" }),
  })
  .openapi("ImportReport");
export type ImportReport = z.output<typeof ImportReport>;

/** A row of the map; a text file of it has the same columns. */
export const ImportMapRow = z
  .object({
    sourceId: z.string(),
    oldPlaybackId: z.string().nullable(),
    mediaId: z.uuid().nullable(),
    playbackId: z.uuid().nullable(),
    status: ItemStatus,
    error: z.string().nullable().openapi({ description: "The code of the item's error" }),
  })
  .openapi("ImportMapRow");
