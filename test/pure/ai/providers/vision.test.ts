/** Who judges pictures and speech, and Clef's adapter with a stand-in for the binding: the real one exists only in a deployment. */
import { describe, expect, test } from "vitest";
import { askPictures, askSpeech } from "../../../../src/ai/moderation/index.ts";
import type { AiBinding } from "../../../../src/ai/providers/ai-binding.ts";
import { listenerOf, mostCostOf, visionProviderOf } from "../../../../src/ai/providers/index.ts";

const env = {
  AI_BASE_URL: "",
  AI_SPEECH_MODEL: "",
  AI_SPEECH_USD_PER_MINUTE: "",
  AI_TEXT_MODEL: "",
  AI_TEXT_INPUT_USD_PER_MILLION: "",
  AI_TEXT_OUTPUT_USD_PER_MILLION: "",
  AI_VISION_MODEL: "",
  AI_VISION_INPUT_USD_PER_MILLION: "",
  AI_VISION_OUTPUT_USD_PER_MILLION: "",
  AI_MONTHLY_BUDGET_USD: "50",
};
const IMAGE = "data:image/jpeg;base64,AA==";
const CLEF = "@cf/cloudflare/clef-omni";
const SCOUT = "@cf/meta/llama-4-scout-17b-16e-instruct";

/** A binding that answers, and what it was asked. */
function bound(answer: unknown): { AI: AiBinding; calls: [string, Record<string, unknown>][] } {
  const calls: [string, Record<string, unknown>][] = [];
  return { calls, AI: { run: async (model, inputs) => (calls.push([model, inputs]), answer) } };
}
const ask = (model: string, answer: unknown, request = askPictures(2, IMAGE)) => {
  const { AI, calls } = bound(answer);
  return { calls, answered: visionProviderOf({ ...env, AI })!.ask(model, request, AbortSignal.timeout(5000)) };
};

describe("the provider", () => {
  const { AI } = bound(null);
  const endpoint = { AI_BASE_URL: "https://ai.test/v1" };
  test.each<[string, object, string[] | undefined, string[] | undefined]>([
    ["none", {}, undefined, undefined],
    ["Workers AI, whose Clef also judges speech", { AI }, [CLEF, SCOUT], [CLEF, SCOUT]],
    ["an endpoint before it", { AI, ...endpoint }, ["gpt-4.1-mini"], ["gpt-4.1-mini"]],
    ["a list of models", { ...endpoint, AI_VISION_MODEL: "a, b", AI_TEXT_MODEL: "c" }, ["a", "b"], ["c"]],
    ["the encoder for pictures", { ...endpoint, AI_VISION_MODEL: "built-in" }, undefined, ["gpt-4.1-mini"]],
    ["words for speech", { ...endpoint, AI_TEXT_MODEL: "built-in" }, ["gpt-4.1-mini"], undefined],
    [
      "another model of Workers AI for pictures alone",
      { AI, AI_VISION_MODEL: SCOUT, AI_TEXT_MODEL: "x" },
      [SCOUT],
      ["x"],
    ],
  ])("is %s", (_, more, pictures, speech) => {
    const chosen = { ...env, ...more };
    expect([visionProviderOf(chosen)?.models, listenerOf(chosen)?.models]).toEqual([pictures, speech]);
  });

  test("reserves for an image more than its text", () => {
    const provider = visionProviderOf({ ...env, AI_BASE_URL: "https://ai.test/v1" })!;
    const { image: _, ...text } = askPictures(9, IMAGE);
    expect(mostCostOf(provider, askPictures(9, IMAGE)) - mostCostOf(provider, text)).toBeGreaterThanOrEqual(1000);
  });
});

describe("Clef", () => {
  test("gets statements with the image, and says how probable they are", async () => {
    const ids = Object.keys(askPictures(2, IMAGE).likelihoods!);
    const answers = Object.fromEntries(ids.map((id) => [id, { type: "noul", noul: 0.25 }]));
    const { calls, answered } = ask(CLEF, {
      model: "clef-omni",
      answers,
      usage: { input_tokens: 900, output_tokens: 0 },
    });
    expect(await answered).toEqual({
      value: { likelihoods: Object.fromEntries(ids.map((id) => [id, 0.25])) },
      inputTokens: 900,
      outputTokens: 0,
    });
    const [[model, inputs]] = calls as [(typeof calls)[number]];
    expect([model, inputs["model"], inputs["images"]]).toEqual([CLEF, "clef-omni", [IMAGE]]);
    expect(inputs["questions"]).toMatchObject({
      "p1.sexual-minors": { type: "noul", instructions: expect.stringContaining("Picture 1") },
    });
    expect(Object.keys(inputs["questions"] as object)).toEqual(ids);
  });

  test("gets a transcript as its state, without an image", async () => {
    const part = { sentences: [], text: "[00:00:00] Hello." };
    const { calls, answered } = ask(CLEF, { result: { answers: { hate: { noul: 0.1 } } } }, askSpeech(part));
    expect(await answered).toMatchObject({ value: { likelihoods: { hate: 0.1 } }, inputTokens: expect.any(Number) });
    expect(calls[0]![1]).toMatchObject({ state: part.text });
    expect(calls[0]![1]).not.toHaveProperty("images");
  });

  test.each([["prose"], [{ response: "fine" }], [{ answers: { "p1.hate": { noul: "low" } } }], [null]])(
    "with %j has answered nothing",
    async (answer) => {
      await expect(ask(CLEF, answer).answered).rejects.toMatchObject({ code: "ai_answer_unusable" });
    },
  );
});

test("another model of Workers AI gets a chat with the image", async () => {
  const { calls, answered } = ask(SCOUT, { response: { pictures: [] } });
  expect((await answered).value).toEqual({ pictures: [] });
  expect(calls[0]![1]["messages"]).toMatchObject([
    { role: "system" },
    { role: "user", content: [{ type: "text" }, { type: "image_url", image_url: { url: IMAGE } }] },
  ]);
});
