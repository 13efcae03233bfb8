import { z } from "@hono/zod-openapi";
import { summaryLength } from "./store/orders.ts";

const replace = z
  .boolean()
  .optional()
  .openapi({ description: "Makes it again, for example after the subtitles have been edited", default: false });

export const UpdateSummary = z.object({ generate: z.boolean(), summaryLength, replace }).openapi("UpdateSummary");
export const UpdateChapters = z.object({ chapters: z.boolean(), replace }).openapi("UpdateChapters");
export const UpdateNamedEntities = z.object({ namedEntities: z.boolean(), replace }).openapi("UpdateNamedEntities");

const mediaId = z.uuid();
export const SummaryEnabled = z.object({ mediaId, isSummaryEnabled: z.boolean() }).openapi("SummaryEnabled");
export const ChaptersEnabled = z.object({ mediaId, isChaptersEnabled: z.boolean() }).openapi("ChaptersEnabled");
export const NamedEntitiesEnabled = z
  .object({ mediaId, isNamedEntitiesEnabled: z.boolean() })
  .openapi("NamedEntitiesEnabled");
export const SummaryText = z.string().openapi("SummaryText");
