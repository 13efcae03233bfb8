import type { Env } from "../../platform/env.ts";

/** What the owner has configured for AI (docs/guides/ai.md). */
export type AiEnv = Pick<
  Env,
  "AI" | "AI_BASE_URL" | "AI_API_KEY" | "AI_SPEECH_MODEL" | "AI_SPEECH_USD_PER_MINUTE" | "AI_MONTHLY_BUDGET_USD"
>;
