import { versionOf } from "./answer-version.ts";
import { callEndpoint, type Endpoint, readAnswer } from "./endpoint-call.ts";
import { ProviderError } from "./provider-error.ts";
import { readTranscription } from "./read-transcription.ts";
import type { SpeechAnswer, SpeechRequest } from "./speech-request.ts";
import { streamForm, type StreamedForm } from "./streamed-form.ts";

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
): Promise<SpeechAnswer> {
  const server = `${endpoint.baseUrl} ${endpoint.model}`;
  for (let position = known.get(server) ?? 0; position < WAYS.length; position += 1) {
    const form = formOf(endpoint, request, WAYS[position]!);
    const response = await callEndpoint(endpoint, "audio/transcriptions", form, signal);
    if (response.status === 400 || response.status === 422) {
      form.stop();
      await response.body?.cancel();
      if (position < WAYS.length - 1) continue;
      throw new ProviderError("ai_refused", { status: response.status });
    }
    known.set(server, position);
    const answer = await readAnswer(response);
    const transcription = readTranscription(answer, request.durationMs);
    if (transcription === null) throw new ProviderError("ai_answer_unusable");
    const header = response.headers.get("openai-version");
    return { ...transcription, version: versionOf(answer, { asked: endpoint.model, header }) };
  }
  throw new ProviderError("ai_refused");
}

function formOf({ model }: Endpoint, request: SpeechRequest, way: (typeof WAYS)[number]): StreamedForm {
  const { sound, languageCode, prompt, isRepeat = false } = request;
  const fields: [string, string][] = [
    ["model", model],
    ["response_format", way.response_format],
    ...way.granularities.map((granularity): [string, string] => ["timestamp_granularities[]", granularity]),
    ...(languageCode === null ? [] : [["language", languageCode] satisfies [string, string]]),
    ...(prompt === "" || isRepeat ? [] : [["prompt", prompt] satisfies [string, string]]),
    ["temperature", isRepeat ? "0.4" : "0"],
  ];
  return streamForm(fields, "file", { name: "piece.flac", type: "audio/flac", ...sound });
}
