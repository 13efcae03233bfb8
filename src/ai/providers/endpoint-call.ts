import { readBounded } from "../../../protocol/read-bounded.ts";
import { parseRetryAfterMs } from "../../platform/network/index.ts";
import { ProviderError, type ProviderErrorCode } from "./provider-error.ts";
import type { StreamedForm } from "./streamed-form.ts";

/** A server with the API of OpenAI: a hosted one, or whisper.cpp, faster-whisper, vLLM, llama.cpp. */
export interface Endpoint {
  /** Such as `https://api.openai.com/v1`. */
  baseUrl: string;
  /** Empty = none is sent. */
  key: string;
  model: string;
}

/** The words of ten minutes with all their tokens have about 2 MB. Four answers come at once, and each has ten times its length as objects. */
const MAX_ANSWER_BYTES = 3 << 20;

/**
 * Sends one request.
 *
 * @param path below the base, such as `audio/transcriptions`
 * @param body a form, or a value that is sent as JSON
 * @returns an answer of success, or 400 or 422: the server does not know this way of asking
 * @throws {ProviderError}
 */
export async function callEndpoint(
  { baseUrl, key }: Endpoint,
  path: string,
  body: StreamedForm | object,
  signal: AbortSignal,
): Promise<Response> {
  const form = "stop" in body ? body : null;
  let response: Response;
  try {
    response = await fetch(`${baseUrl.replace(/\/+$/, "")}/${path}`, {
      method: "POST",
      body: form?.body ?? JSON.stringify(body),
      headers: {
        "content-type": form?.contentType ?? "application/json",
        ...(key === "" ? {} : { authorization: `Bearer ${key}` }),
      },
      redirect: "manual", // the key is for this server alone
      signal,
    });
  } catch (cause) {
    // A server that did not answer in time, or that has the whole sound, may have worked. A connection that failed before is taken for one that did not reach it.
    const isPaid = signal.aborted || form?.isSent() === true;
    form?.stop();
    throw new ProviderError("ai_unreachable", { cause, isPaid });
  }
  const code = errorOf(response.status);
  if (code === null) return response;
  form?.stop(); // it may have answered before it had read all
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

/** @throws {ProviderError} when it is no JSON, too long, or cut off */
export async function readAnswer(response: Response): Promise<unknown> {
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
