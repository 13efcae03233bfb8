import type { Env } from "../../platform/env.ts";

/** What the owner has configured for AI (docs/guides/ai.md). */
export type AiEnv = Pick<
  Env,
  | "AI"
  | "AI_BASE_URL"
  | "AI_API_KEY"
  | "AI_SPEECH_MODEL"
  | "AI_SPEECH_USD_PER_MINUTE"
  | "AI_TEXT_MODEL"
  | "AI_TEXT_INPUT_USD_PER_MILLION"
  | "AI_TEXT_OUTPUT_USD_PER_MILLION"
  | "AI_VISION_MODEL"
  | "AI_VISION_INPUT_USD_PER_MILLION"
  | "AI_VISION_OUTPUT_USD_PER_MILLION"
  | "AI_MONTHLY_BUDGET_USD"
>;
