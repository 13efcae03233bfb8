import { callEndpoint, type Endpoint, readAnswer } from "./endpoint-call.ts";
import { ProviderError } from "./provider-error.ts";
import { readChat } from "./read-chat.ts";
import { inputTokensOf, messagesOf, type TextAnswer, type TextRequest } from "./text-request.ts";

/** Ways to ask for JSON, of which a server may know only the later ones. The instructions ask for it in any case. */
const FORMATS = [
  ({ name, schema }: TextRequest["format"]) => ({
    response_format: { type: "json_schema", json_schema: { name, strict: true, schema } },
  }),
  () => ({ response_format: { type: "json_object" } }),
  () => ({}),
] as const;

/**
 * Asks a server with OpenAI's API (`POST /chat/completions`).
 *
 * @throws {ProviderError}
 */
export async function chatAtEndpoint(
  endpoint: Endpoint,
  request: TextRequest,
  signal: AbortSignal,
): Promise<TextAnswer> {
  const messages = messagesOf(request);
  const askedTokens = inputTokensOf(request);
  for (const format of FORMATS) {
    const body = {
      model: endpoint.model,
      messages,
      max_tokens: request.maxOutputTokens,
      temperature: request.isRepeat === true ? 0.4 : 0,
      ...format(request.format),
    };
    const response = await callEndpoint(endpoint, "chat/completions", body, signal);
    if (response.status !== 400 && response.status !== 422) return readChat(await readAnswer(response), askedTokens);
    await response.body?.cancel();
  }
  throw new ProviderError("ai_refused");
}
