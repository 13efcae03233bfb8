import { z } from "@hono/zod-openapi";
import { ModerationRequest } from "../../ai/moderation/index.ts";
import { summaryLength } from "./store/orders.ts";

const replace = z
  .boolean()
  .optional()
  .openapi({ description: "Makes it again, for example after the subtitles have been edited", default: false });

export const UpdateSummary = z.object({ generate: z.boolean(), summaryLength, replace }).openapi("UpdateSummary");
export const UpdateChapters = z.object({ chapters: z.boolean(), replace }).openapi("UpdateChapters");
export const UpdateNamedEntities = z.object({ namedEntities: z.boolean(), replace }).openapi("UpdateNamedEntities");
export const UpdateModeration = z
  .object({
    moderation: z.union([z.literal(false), ModerationRequest]).openapi({ description: "`false` removes the scores" }),
    replace,
  })
  .openapi("UpdateModeration");

const mediaId = z.uuid();
export const SummaryEnabled = z.object({ mediaId, isSummaryEnabled: z.boolean() }).openapi("SummaryEnabled");
export const ChaptersEnabled = z.object({ mediaId, isChaptersEnabled: z.boolean() }).openapi("ChaptersEnabled");
export const NamedEntitiesEnabled = z
  .object({ mediaId, isNamedEntitiesEnabled: z.boolean() })
  .openapi("NamedEntitiesEnabled");
export const ModerationEnabled = z.object({ mediaId, isModerationEnabled: z.boolean() }).openapi("ModerationEnabled");
export const ClearedModeration = z.object({ mediaId, isHeld: z.literal(false) }).openapi("ClearedModeration");
export const SummaryText = z.string().openapi("SummaryText");
