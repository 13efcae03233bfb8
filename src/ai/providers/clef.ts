import { z } from "zod";
import { type AiBinding, runBinding } from "./ai-binding.ts";
import { ProviderError } from "./provider-error.ts";
import { inputTokensOf, type TextAnswer, type TextRequest } from "./text-request.ts";

/** Begins the ids of Cloudflare's decision models, which write nothing: they say how probable a statement is. */
const PREFIX = "@cf/cloudflare/clef";
export const isClef = (model: string): boolean => model.startsWith(PREFIX);

/** The binding gives the answer itself; the same over HTTP is in `result`. */
const Answers = z.object({
  answers: z.record(z.string(), z.object({ noul: z.number() })),
  usage: z
    .object({ input_tokens: z.number().nonnegative().nullish().catch(null) })
    .nullish()
    .catch(null),
});
const Answer = z.union([Answers, z.object({ result: Answers }).transform(({ result }) => result)]);

/**
 * Asks Clef how probable each of the request's `likelihoods` is (Cloudflare's documentation, November 2026): at most 64 questions about a text, or about up to four
 * images. Its answers cost nothing.
 *
 * @throws {ProviderError}
 */
export async function judgeByClef(
  { binding, model }: { binding: AiBinding; model: string },
  request: TextRequest,
  signal: AbortSignal,
): Promise<TextAnswer> {
  const { likelihoods, text, image } = request;
  if (likelihoods === undefined) throw new ProviderError("ai_refused");
  const questions = Object.fromEntries(
    Object.entries(likelihoods).map(([id, instructions]) => [id, { type: "noul", instructions }]),
  );
  const inputs = {
    model: model.slice("@cf/cloudflare/".length),
    state: text,
    questions,
    ...(image === undefined ? {} : { images: [image] }),
  };
  const answer = Answer.safeParse(await runBinding({ binding, model }, inputs, signal));
  if (!answer.success) throw new ProviderError("ai_answer_unusable");
  const { answers, usage } = answer.data;
  return {
    value: { likelihoods: Object.fromEntries(Object.entries(answers).map(([id, { noul }]) => [id, noul])) },
    inputTokens: usage?.input_tokens ?? inputTokensOf(request),
    outputTokens: 0,
  };
}
