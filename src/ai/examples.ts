import type { z } from "@hono/zod-openapi";
import type { AiUsageRecord } from "./usage/routes.ts";

const usage: z.output<typeof AiUsageRecord> = {
  from: "2026-05-01",
  to: "2026-05-31",
  budgetUsd: 50,
  spentUsd: 0.74,
  leftUsd: 49.26,
  days: [
    {
      date: "2026-05-21",
      kind: "captions",
      engine: "openai-compatible",
      calls: 46,
      units: 7400,
      unit: "seconds",
      costUsd: 0.74,
    },
  ],
};
const settings = {
  vocabulary: ["Sluice", "Ada Lovelace"],
  newMedia: { subtitles: true, summary: false, chapters: true, namedEntities: false },
};

const mediaId = "0d3e8ff8-2f5c-4c3b-8d45-4e4c0a4c8f1a";

/** Examples of the API document, by the names of their schemas. */
export const AI_EXAMPLES: Record<string, unknown> = {
  AiUsage: usage,
  AiSettings: settings,
  AiSettingsRecord: settings,
  UpdateSummary: { generate: true, summaryLength: 100 },
  UpdateChapters: { chapters: true },
  UpdateNamedEntities: { namedEntities: true },
  SummaryEnabled: { mediaId, isSummaryEnabled: true },
  ChaptersEnabled: { mediaId, isChaptersEnabled: true },
  NamedEntitiesEnabled: { mediaId, isNamedEntitiesEnabled: true },
  SummaryText: "Fishing boats leave a small harbour before the sun is up.",
  TranslateTrack: { languageCode: "it", languageName: "Italian" },
};
