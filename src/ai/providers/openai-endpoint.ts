import { callEndpoint, type Endpoint, readAnswer } from "./endpoint-call.ts";
import { ProviderError } from "./provider-error.ts";
import { readTranscription, type Transcription } from "./read-transcription.ts";
import type { SpeechRequest } from "./speech-request.ts";

/**
 * Ways to ask, of which a server may know only the later ones: words and segments with times, segments with times, the text alone. Some models refuse
 * `verbose_json`, and some servers a granularity.
 */
const WAYS = [
  { response_format: "verbose_json", granularities: ["word", "segment"] },
  { response_format: "verbose_json", granularities: [] },
  { response_format: "json", granularities: [] },
] as const;

/** The way that a server has answered, so that it is not asked in vain for each piece. An isolate has one server. */
const known = new Map<string, number>();

/**
 * Asks a server for the words of one piece.
 *
 * @throws {ProviderError}
 */
export async function transcribeAtEndpoint(
  endpoint: Endpoint,
  request: SpeechRequest,
  signal: AbortSignal,
): Promise<Transcription> {
  const server = `${endpoint.baseUrl} ${endpoint.model}`;
  for (let position = known.get(server) ?? 0; position < WAYS.length; position += 1) {
    const response = await callEndpoint(
      endpoint,
      "audio/transcriptions",
      formOf(endpoint, request, WAYS[position]!),
      signal,
    );
    if (response.status === 400 || response.status === 422) {
      await response.body?.cancel();
      if (position < WAYS.length - 1) continue;
      throw new ProviderError("ai_refused", { status: response.status });
    }
    known.set(server, position);
    const transcription = readTranscription(await readAnswer(response), request.durationMs);
    if (transcription === null) throw new ProviderError("ai_answer_unusable");
    return transcription;
  }
  throw new ProviderError("ai_refused");
}

function formOf({ model }: Endpoint, request: SpeechRequest, way: (typeof WAYS)[number]): FormData {
  const form = new FormData();
  form.append("file", new Blob([request.bytes], { type: "audio/flac" }), "piece.flac");
  form.append("model", model);
  form.append("response_format", way.response_format);
  for (const granularity of way.granularities) form.append("timestamp_granularities[]", granularity);
  if (request.languageCode !== null) form.append("language", request.languageCode);
  if (request.prompt !== "" && request.isRepeat !== true) form.append("prompt", request.prompt);
  form.append("temperature", request.isRepeat === true ? "0.4" : "0");
  return form;
}
