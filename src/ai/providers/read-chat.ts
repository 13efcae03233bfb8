import { z } from "zod";
import { ProviderError } from "./provider-error.ts";
import { jsonIn, type TextAnswer, tokensOf } from "./text-request.ts";

const Content = z.union([
  z.string(),
  z.array(z.object({ text: z.string().optional() })),
  z.record(z.string(), z.unknown()),
]);
const Tokens = z.number().nonnegative().nullish().catch(null);
const Usage = z.object({ prompt_tokens: Tokens, completion_tokens: Tokens }).nullish().catch(null);
/** Of the API of OpenAI. */
const Chat = z.object({
  choices: z.array(z.object({ message: z.object({ content: Content.nullish() }) })).min(1),
  usage: Usage,
});
/** Of Workers AI. */
const Native = z.object({ response: Content, usage: Usage });

/**
 * The JSON in a chat's answer, in the shapes of OpenAI's API and of Workers AI. Pure.
 *
 * @param askedTokens an estimate of the question's, where the answer does not count them
 * @throws {ProviderError} ai_answer_unusable
 */
export function readChat(answer: unknown, askedTokens: number): TextAnswer {
  const chat = Chat.safeParse(answer);
  const native = Native.safeParse(answer);
  const content = chat.success
    ? chat.data.choices[0]!.message.content
    : native.success
      ? native.data.response
      : undefined;
  const usage = chat.data?.usage ?? native.data?.usage;
  const text = Array.isArray(content) ? content.map(({ text = "" }) => text).join("") : content;
  const value = typeof text === "string" ? jsonIn(text) : text;
  if (value === undefined || value === null) throw new ProviderError("ai_answer_unusable");
  return {
    value,
    inputTokens: usage?.prompt_tokens ?? askedTokens,
    outputTokens: usage?.completion_tokens ?? tokensOf(JSON.stringify(value)),
  };
}
