import type { AiEnv } from "./ai-env.ts";
import { transcribeAtEndpoint } from "./openai-endpoint.ts";
import type { SpeechAnswer, SpeechRequest } from "./speech-request.ts";
import { transcribeAtWorkersAi } from "./workers-ai.ts";

/** Who writes down what is spoken. */
export interface SpeechProvider {
  engine: "openai-compatible" | "workers-ai";
  model: string;
  /** Millionths of a dollar for a minute of sound. */
  microUsdPerMinute: number;
  /** Pieces end at the first pause behind `least`, which is more for a longer media, and at `most` at the latest. */
  pieceMs: { least: number; most: number };
  /** @throws {ProviderError} */
  hear(request: SpeechRequest, signal: AbortSignal): Promise<SpeechAnswer>;
}

/** In FLAC five minutes have 5 MB; hosted servers take 25 MB. A media of one minute is one call. */
const ENDPOINT_PIECES = { least: 60_000, most: 300_000 };
/** Cloudflare's own guide sends pieces of about 1 MB. */
const WORKERS_AI_PIECES = { least: 40_000, most: 60_000 };

/** Prices of November 2026: whisper-1 of OpenAI, and whisper-large-v3-turbo of Workers AI. */
const ENDPOINT_USD = 0.006;
const WORKERS_AI_USD = 0.000_51;

/** The provider that the owner has configured: an endpoint, or else Workers AI. Null = the encoder's own model. */
export function speechProviderOf(env: AiEnv): SpeechProvider | null {
  const { AI: binding, AI_BASE_URL: baseUrl, AI_API_KEY: key = "", AI_SPEECH_MODEL: chosen } = env;
  const microUsdPerMinute = (usual: number) => Math.round(Number(env.AI_SPEECH_USD_PER_MINUTE || usual) * 1e6);
  if (baseUrl !== "") {
    const model = chosen || "whisper-1";
    return {
      engine: "openai-compatible",
      model,
      microUsdPerMinute: microUsdPerMinute(ENDPOINT_USD),
      pieceMs: ENDPOINT_PIECES,
      hear: (request, signal) => transcribeAtEndpoint({ baseUrl, key, model }, request, signal),
    };
  }
  if (binding === undefined) return null;
  const model = chosen || "@cf/openai/whisper-large-v3-turbo";
  return {
    engine: "workers-ai",
    model,
    microUsdPerMinute: microUsdPerMinute(WORKERS_AI_USD),
    pieceMs: WORKERS_AI_PIECES,
    hear: (request, signal) => transcribeAtWorkersAi({ binding, model }, request, signal),
  };
}

/** In millionths of a dollar. */
export const costOf = ({ microUsdPerMinute }: SpeechProvider, durationMs: number): number =>
  Math.ceil((durationMs / 60_000) * microUsdPerMinute);
