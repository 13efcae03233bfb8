import { readBounded } from "../../../protocol/read-bounded.ts";
import { parseRetryAfterMs } from "../../platform/network/index.ts";
import { ProviderError, type ProviderErrorCode } from "./provider-error.ts";
import { readTranscription, type Transcription } from "./read-transcription.ts";
import type { SpeechRequest } from "./speech-request.ts";

/** A server with the audio API of OpenAI: a hosted one, or whisper.cpp, faster-whisper, vLLM. */
export interface Endpoint {
  /** Such as `https://api.openai.com/v1`. */
  baseUrl: string;
  /** Empty = none is sent. */
  key: string;
  model: string;
}

/** The words of ten minutes with all their tokens have about 2 MB. */
const MAX_ANSWER_BYTES = 10 << 20;

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
    const response = await ask(endpoint, formOf(endpoint, request, WAYS[position]!), signal);
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

async function ask({ baseUrl, key }: Endpoint, form: FormData, signal: AbortSignal): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(`${baseUrl.replace(/\/+$/, "")}/audio/transcriptions`, {
      method: "POST",
      body: form,
      headers: key === "" ? {} : { authorization: `Bearer ${key}` },
      redirect: "manual", // the key is for this server alone
      signal,
    });
  } catch (cause) {
    // A server that did not answer in time may have worked. A connection that failed is taken for one that did not reach it.
    throw new ProviderError("ai_unreachable", { cause, isPaid: signal.aborted });
  }
  const code = errorOf(response.status);
  if (code === null) return response;
  await response.body?.cancel();
  throw new ProviderError(code, {
    retryAfterMs: parseRetryAfterMs(response.headers.get("retry-after"), new Date()),
    status: response.status,
  });
}

/** Null = an answer, or a way of asking that the server does not know. */
function errorOf(status: number): ProviderErrorCode | null {
  if ((status >= 200 && status < 300) || status === 400 || status === 422) return null;
  if (status >= 300 && status < 400) return "ai_redirected";
  if (status === 401 || status === 403) return "ai_key_refused";
  if (status === 404) return "ai_model_unknown";
  if (status === 413) return "ai_piece_too_large";
  if (status === 429) return "ai_busy";
  return status >= 500 || status === 408 ? "ai_failed" : "ai_refused";
}

async function readAnswer(response: Response): Promise<unknown> {
  let bytes: Uint8Array | null;
  try {
    bytes = response.body === null ? new Uint8Array(0) : await readBounded(response.body, MAX_ANSWER_BYTES);
  } catch (cause) {
    throw new ProviderError("ai_unreachable", { cause }); // it was cut off
  }
  if (bytes === null) throw new ProviderError("ai_answer_unusable");
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch (cause) {
    throw new ProviderError("ai_answer_unusable", { cause });
  }
}
