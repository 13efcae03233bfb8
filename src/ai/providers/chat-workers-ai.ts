import { type AiBinding, runBinding } from "./ai-binding.ts";
import { readChat } from "./read-chat.ts";
import { inputTokensOf, messagesOf, type TextAnswer, type TextRequest } from "./text-request.ts";

/**
 * Asks a text model of Workers AI in its JSON mode (Cloudflare's documentation, November 2026).
 *
 * @throws {ProviderError}
 */
export async function chatAtWorkersAi(
  target: { binding: AiBinding; model: string },
  request: TextRequest,
  signal: AbortSignal,
): Promise<TextAnswer> {
  const inputs = {
    messages: messagesOf(request),
    max_tokens: request.maxOutputTokens,
    temperature: request.isRepeat === true ? 0.4 : 0,
    response_format: { type: "json_schema", json_schema: request.format.schema },
  };
  return readChat(await runBinding(target, inputs, signal), inputTokensOf(request));
}
