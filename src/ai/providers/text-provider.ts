import type { AiEnv } from "./ai-env.ts";
import { chatAtEndpoint } from "./chat-endpoint.ts";
import { chatAtWorkersAi } from "./chat-workers-ai.ts";
import type { ProviderError } from "./provider-error.ts";
import { inputTokensOf, type TextAnswer, type TextRequest } from "./text-request.ts";

/** Who reads transcripts, or looks at pictures. */
export interface TextProvider {
  engine: "openai-compatible" | "workers-ai";
  /** The first is asked; the next one where the one before fails, or does not answer with JSON. */
  models: string[];
  /** Characters of a transcript in one question. */
  partCharacters: number;
  /** Millionths of a dollar. */
  costOf(tokens: Pick<TextAnswer, "inputTokens" | "outputTokens">): number;
  /** @throws {ProviderError} */
  ask(model: string, request: TextRequest, signal: AbortSignal): Promise<TextAnswer>;
}

/** The value of AI_TEXT_MODEL, and of AI_VISION_MODEL, with which no provider is asked. */
export const BUILT_IN = "built-in";

/** Prices of November 2026, dollars for a million tokens: gpt-4.1-mini of OpenAI, and llama-3.3-70b-instruct-fp8-fast of Workers AI. */
const ENDPOINT = { models: "gpt-4.1-mini", inputUsd: 0.4, outputUsd: 1.6 };
const WORKERS_AI = {
  models: "@cf/meta/llama-3.3-70b-instruct-fp8-fast,@cf/meta/llama-4-scout-17b-16e-instruct",
  inputUsd: 0.29,
  outputUsd: 2.25,
};
/** About 15,000 tokens, which models of 24,000 tokens of context hold with their answer. */
const PART_CHARACTERS = 48_000;

/** The provider that the owner has configured: an endpoint, or else Workers AI. Null = the built-in engine. */
export function textProviderOf(env: AiEnv): TextProvider | null {
  const { AI: binding, AI_BASE_URL: baseUrl, AI_API_KEY: key = "", AI_TEXT_MODEL: chosen } = env;
  if (chosen === BUILT_IN) return null;
  if (baseUrl !== "")
    return {
      engine: "openai-compatible",
      ...textSettings(env, ENDPOINT),
      ask: (model, request, signal) => chatAtEndpoint({ baseUrl, key, model }, request, signal),
    };
  if (binding === undefined) return null;
  return {
    engine: "workers-ai",
    ...textSettings(env, WORKERS_AI),
    ask: (model, request, signal) => chatAtWorkersAi({ binding, model }, request, signal),
  };
}

const textSettings = (env: AiEnv, usual: typeof ENDPOINT) => ({
  partCharacters: PART_CHARACTERS,
  ...modelsAndPrices(
    {
      models: env.AI_TEXT_MODEL,
      inputUsd: env.AI_TEXT_INPUT_USD_PER_MILLION,
      outputUsd: env.AI_TEXT_OUTPUT_USD_PER_MILLION,
    },
    usual,
  ),
});

/** @param chosen settings; "" = the usual one */
export function modelsAndPrices(
  chosen: Record<"models" | "inputUsd" | "outputUsd", string>,
  usual: typeof ENDPOINT,
): Pick<TextProvider, "models" | "costOf"> {
  const inputUsd = Number(chosen.inputUsd || usual.inputUsd);
  const outputUsd = Number(chosen.outputUsd || usual.outputUsd);
  return {
    models: (chosen.models || usual.models).split(",").map((model) => model.trim()),
    // A dollar for a million tokens is a millionth of a dollar for one.
    costOf: ({ inputTokens, outputTokens }) => Math.ceil(inputTokens * inputUsd + outputTokens * outputUsd),
  };
}

/** The most that a question costs. */
export const mostCostOf = (provider: TextProvider, request: TextRequest): number =>
  provider.costOf({
    inputTokens: inputTokensOf(request),
    outputTokens: request.maxOutputTokens,
  });

/** Whether the next model may succeed where one has failed. */
export const canNextModel = ({ code }: ProviderError): boolean =>
  code === "ai_model_unknown" || code === "ai_failed" || code === "ai_answer_unusable" || code === "ai_refused";
