/** The adapter of Workers AI, with a stand-in for the binding: the real one exists only in a deployment. */
import { describe, expect, test } from "vitest";
import { speechProviderOf } from "../../../../src/ai/providers/index.ts";
import type { AiBinding } from "../../../../src/ai/providers/ai-binding.ts";
import { transcribeAtWorkersAi } from "../../../../src/ai/providers/workers-ai.ts";

const sound = { bytes: 3, open: () => Promise.resolve(new Response(new Uint8Array([1, 2, 3])).body!) };
const REQUEST = { sound, durationMs: 4000, languageCode: "en", prompt: "Sluice" };
const hear = (run: AiBinding["run"], signal = AbortSignal.timeout(5000)) =>
  transcribeAtWorkersAi({ binding: { run }, model: "@cf/openai/whisper-large-v3-turbo" }, REQUEST, signal);

test("a piece is sent as Base64 with its language and terms, and words are read from the segments", async () => {
  const calls: unknown[] = [];
  const { words, languageCode } = await hear((model, inputs) => {
    calls.push([model, inputs]);
    return Promise.resolve({
      transcription_info: { language: "en", duration: 4 },
      text: "Hello.",
      segments: [{ start: 0.5, end: 0.9, text: "Hello.", words: [{ word: " Hello.", start: 0.5, end: 0.9 }] }],
    });
  });
  expect(calls).toEqual([
    [
      "@cf/openai/whisper-large-v3-turbo",
      { audio: "AQID", task: "transcribe", vad_filter: true, language: "en", initial_prompt: "Sluice" },
    ],
  ]);
  expect([words, languageCode]).toEqual([[{ text: "Hello.", hasSpace: true, startMs: 500, endMs: 900 }], "en"]);
});

describe("failures", () => {
  test.each([
    ["3040: No more data centers to forward the request to", "ai_busy"],
    ["3036: You have used up your daily free allocation", "ai_busy"],
    ["3006: Request is too large", "ai_piece_too_large"],
    ["5007: No such model", "ai_model_unknown"],
    ["5018: The account is not allowed", "ai_key_refused"],
    ["something else", "ai_failed"],
  ])("%s is %s", async (message, code) => {
    await expect(hear(() => Promise.reject(new Error(message)))).rejects.toMatchObject({ code });
  });

  test("an answer that is none is unusable, and none in time is unreachable", async () => {
    await expect(hear(() => Promise.resolve("Sure!"))).rejects.toMatchObject({ code: "ai_answer_unusable" });
    const never = () => new Promise<never>(() => {});
    await expect(hear(never, AbortSignal.timeout(20))).rejects.toMatchObject({ code: "ai_unreachable" });
  });
});

describe("the provider that is chosen", () => {
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
  const AI: AiBinding = { run: () => Promise.resolve(null) };
  const endpoint = { AI_BASE_URL: "https://ai.test/v1" };

  test.each([
    ["none without settings", {}, null],
    ["Workers AI where it is bound", { AI }, { engine: "workers-ai", microUsdPerMinute: 510 }],
    ["the endpoint before it", { AI, ...endpoint }, { engine: "openai-compatible", model: "whisper-1" }],
    [
      "with another model and price",
      { ...endpoint, AI_SPEECH_MODEL: "large", AI_SPEECH_USD_PER_MINUTE: "0.001" },
      { model: "large", microUsdPerMinute: 1000 },
    ],
  ])("is %s", (_, more, chosen) => {
    const provider = speechProviderOf({ ...env, ...more });
    if (chosen === null) expect(provider).toBeNull();
    else expect(provider).toMatchObject(chosen);
  });
});
