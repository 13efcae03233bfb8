import type { z } from "@hono/zod-openapi";
import type { SearchHit } from "./search/routes.ts";
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
const hit: z.output<typeof SearchHit> = {
  mediaId: "7a1e5c94-2f0b-4d68-8c33-91b6e4f7a205",
  trackId: "38f0b5d2-e714-4c9a-86d7-a2c15e9f0b74",
  startMs: 61_200,
  endMs: 64_000,
  snippet: "The harbour lies still at dawn.",
};
const settings = {
  vocabulary: ["Sluice", "Ada Lovelace"],
  newMedia: {
    subtitles: true,
    summary: false,
    chapters: true,
    namedEntities: false,
    moderation: { type: "av", action: "none" },
  },
  moderationThreshold: 0.5,
};

const mediaId = "0d3e8ff8-2f5c-4c3b-8d45-4e4c0a4c8f1a";

/** Examples of the API document, by the names of their schemas. */
export const AI_EXAMPLES: Record<string, unknown> = {
  AiUsage: usage,
  SearchHit: hit,
  AiSettings: settings,
  AiSettingsRecord: settings,
  UpdateSummary: { generate: true, summaryLength: 100 },
  UpdateChapters: { chapters: true },
  UpdateNamedEntities: { namedEntities: true },
  SummaryEnabled: { mediaId, isSummaryEnabled: true },
  ChaptersEnabled: { mediaId, isChaptersEnabled: true },
  UpdateModeration: { moderation: { type: "av", action: "block" } },
  ModerationEnabled: { mediaId, isModerationEnabled: true },
  ClearedModeration: { mediaId, isHeld: false },
  NamedEntitiesEnabled: { mediaId, isNamedEntitiesEnabled: true },
  SummaryText: "Fishing boats leave a small harbour before the sun is up.",
  TranslateTrack: { languageCode: "it", languageName: "Italian" },
};
