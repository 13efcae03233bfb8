import { ProviderError, type ProviderErrorCode } from "./provider-error.ts";
import { readTranscription, type Transcription } from "./read-transcription.ts";
import type { SpeechRequest } from "./speech-request.ts";

/** The binding `AI`, as far as it is used. `npm run deploy` adds it; it never exists locally. */
export interface AiBinding {
  run(model: string, inputs: Record<string, unknown>, options?: { signal?: AbortSignal }): Promise<unknown>;
}

/**
 * Asks Workers AI for the words of one piece (Cloudflare's documentation of whisper-large-v3-turbo, November 2026).
 *
 * @throws {ProviderError}
 */
export async function transcribeAtWorkersAi(
  { binding, model }: { binding: AiBinding; model: string },
  { bytes, durationMs, languageCode, prompt, isRepeat }: SpeechRequest,
  signal: AbortSignal,
): Promise<Transcription> {
  const inputs = {
    audio: base64(bytes),
    task: "transcribe",
    vad_filter: true,
    ...(languageCode === null ? {} : { language: languageCode }),
    ...(prompt === "" || isRepeat === true ? {} : { initial_prompt: prompt }),
  };
  const answer = await runUntil(signal, () => binding.run(model, inputs, { signal }));
  const transcription = readTranscription(withLanguage(answer), durationMs);
  if (transcription === null) throw new ProviderError("ai_answer_unusable");
  return transcription;
}

/** The binding may not know the signal. */
async function runUntil(signal: AbortSignal, run: () => Promise<unknown>): Promise<unknown> {
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
  });
  try {
    return await Promise.race([run(), aborted]);
  } catch (cause) {
    throw new ProviderError(codeOf(cause, signal), { cause });
  }
}

/** Internal codes of Cloudflare's page of errors, which begin the message: `3040: No more data centers …`. */
const CODES: Record<string, ProviderErrorCode> = {
  "3006": "ai_piece_too_large",
  "3036": "ai_busy",
  "3040": "ai_busy",
  "3023": "ai_key_refused",
  "3041": "ai_key_refused",
  "5016": "ai_key_refused",
  "5018": "ai_key_refused",
  "3042": "ai_model_unknown",
  "5007": "ai_model_unknown",
  "3003": "ai_refused",
  "5004": "ai_refused",
};

function codeOf(cause: unknown, signal: AbortSignal): ProviderErrorCode {
  if (signal.aborted) return "ai_unreachable";
  const [code = ""] = /\b\d{4}\b/.exec(cause instanceof Error ? cause.message : "") ?? [];
  return CODES[code] ?? "ai_failed";
}

/** The language stands beside the text, in `transcription_info`. */
function withLanguage(answer: unknown): unknown {
  if (typeof answer !== "object" || answer === null || !("transcription_info" in answer)) return answer;
  const { transcription_info: info } = answer;
  const language = typeof info === "object" && info !== null && "language" in info ? info.language : undefined;
  return { language, ...answer };
}

/** Bytes that are turned into characters at once: as arguments of one call, they have to fit on the stack. */
const AT_ONCE = 0x8000;

function base64(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += AT_ONCE) text += String.fromCharCode(...bytes.subarray(at, at + AT_ONCE));
  return btoa(text);
}
