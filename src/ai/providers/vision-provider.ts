import type { AiEnv } from "./ai-env.ts";
import { chatAtEndpoint } from "./chat-endpoint.ts";
import { chatAtWorkersAi } from "./chat-workers-ai.ts";
import { isClef, judgeByClef } from "./clef.ts";
import { BUILT_IN, modelsAndPrices, type TextProvider, textProviderOf } from "./text-provider.ts";

/** Prices of November 2026, dollars for a million tokens: gpt-4.1-mini of OpenAI, and clef-omni of Workers AI, whose answers cost nothing. */
const ENDPOINT = { models: "gpt-4.1-mini", inputUsd: 0.4, outputUsd: 1.6 };
const WORKERS_AI = {
  models: "@cf/cloudflare/clef-omni,@cf/meta/llama-4-scout-17b-16e-instruct",
  inputUsd: 0.15,
  outputUsd: 0.85,
};
/** Clef says nothing about where in a part something is said, so parts are short: about five minutes. */
const PART_CHARACTERS = 5000;

/** Who looks at pictures: an endpoint, or else Workers AI. Null = the encoder's own classifier. */
export function visionProviderOf(env: AiEnv): TextProvider | null {
  const { AI: binding, AI_BASE_URL: baseUrl, AI_API_KEY: key = "" } = env;
  if (env.AI_VISION_MODEL === BUILT_IN) return null;
  const settings = (usual: typeof ENDPOINT) => ({
    partCharacters: PART_CHARACTERS,
    ...modelsAndPrices(
      {
        models: env.AI_VISION_MODEL,
        inputUsd: env.AI_VISION_INPUT_USD_PER_MILLION,
        outputUsd: env.AI_VISION_OUTPUT_USD_PER_MILLION,
      },
      usual,
    ),
  });
  if (baseUrl !== "")
    return {
      engine: "openai-compatible",
      ...settings(ENDPOINT),
      ask: (model, request, signal) => chatAtEndpoint({ baseUrl, key, model }, request, signal),
    };
  if (binding === undefined) return null;
  return {
    engine: "workers-ai",
    ...settings(WORKERS_AI),
    ask: (model, request, signal) =>
      isClef(model)
        ? judgeByClef({ binding, model }, request, signal)
        : chatAtWorkersAi({ binding, model }, request, signal),
  };
}

/** Who judges what is said: Clef, if it looks at the pictures, because it says how probable things are; otherwise the text models. Null = the built-in engine. */
export function listenerOf(env: AiEnv): TextProvider | null {
  const vision = visionProviderOf(env);
  const isDecided = vision?.engine === "workers-ai" && isClef(vision.models[0] ?? "");
  return isDecided ? vision : textProviderOf(env);
}
