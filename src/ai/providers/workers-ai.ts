import { type AiBinding, runBinding } from "./ai-binding.ts";
import { versionOf } from "./answer-version.ts";
import { ProviderError } from "./provider-error.ts";
import { readTranscription } from "./read-transcription.ts";
import type { SpeechAnswer, SpeechRequest } from "./speech-request.ts";

/**
 * Asks Workers AI for the words of one piece (Cloudflare's documentation of whisper-large-v3-turbo, November 2026).
 *
 * @throws {ProviderError}
 */
export async function transcribeAtWorkersAi(
  { binding, model }: { binding: AiBinding; model: string },
  { sound, durationMs, languageCode, prompt, isRepeat }: SpeechRequest,
  signal: AbortSignal,
): Promise<SpeechAnswer> {
  const inputs = {
    audio: base64(await new Response(await sound.open()).bytes()),
    task: "transcribe",
    vad_filter: true,
    ...(languageCode === null ? {} : { language: languageCode }),
    ...(isRepeat === true ? { condition_on_previous_text: false } : {}), // what it has repeated is not to be its context
    ...(prompt === "" || isRepeat === true ? {} : { initial_prompt: prompt }),
  };
  const answer = await runBinding({ binding, model }, inputs, signal);
  const transcription = readTranscription(withLanguage(answer), durationMs);
  if (transcription === null) throw new ProviderError("ai_answer_unusable");
  return { ...transcription, version: versionOf(answer, { asked: model }) };
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
