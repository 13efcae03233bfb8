/** A stand-in for servers of transcriptions, over real HTTP. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { textOf } from "../../../../src/ai/captions/word.ts";
import { transcribeAtEndpoint } from "../../../../src/ai/providers/openai-endpoint.ts";

let server: Server;
let baseUrl: string;
let answer: (form: FormData, request: IncomingMessage, response: ServerResponse) => void;
const asked: Record<string, ReturnType<FormData["getAll"]>>[] = [];

beforeAll(async () => {
  server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on("data", (piece: Buffer) => pieces.push(piece));
    request.on("end", () => {
      const headers = { "content-type": request.headers["content-type"] ?? "" };
      void new Response(Buffer.concat(pieces), { headers }).formData().then((form) => {
        asked.push(Object.fromEntries([...new Set(form.keys())].map((key) => [key, form.getAll(key)])));
        answer(form, request, response);
      });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/`;
});
afterAll(() => server.close());
beforeEach(() => asked.splice(0));

// Workers have both: a stream of a declared length, and bodies that flow.
vi.stubGlobal(
  "FixedLengthStream",
  class extends TransformStream {
    constructor(_length: number) {
      super();
    }
  },
);
const nodeFetch = globalThis.fetch;
vi.stubGlobal("fetch", (url: string, init: object) => nodeFetch(url, { ...init, duplex: "half" } as RequestInit));

const sound = { bytes: 3, open: () => Promise.resolve(new Response(new Uint8Array([1, 2, 3])).body!) };
const REQUEST = { sound, durationMs: 4000, languageCode: "en", prompt: "Sluice" };
const transcribe = (limitMs = 30_000) =>
  transcribeAtEndpoint({ baseUrl, key: "secret", model: "whisper-1" }, REQUEST, AbortSignal.timeout(limitMs));
const json = (response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}) =>
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));

test("a piece is sent with its language, terms and key, and words with times are asked for", async () => {
  let authorization: string | undefined;
  answer = (_form, request, response) => {
    authorization = request.headers.authorization;
    json(response, 200, { text: "Hello.", language: "english", words: [{ word: "Hello", start: 0.5, end: 0.9 }] });
  };
  const { words, languageCode } = await transcribe();
  expect([words, languageCode]).toEqual([[{ text: "Hello.", hasSpace: true, startMs: 500, endMs: 900 }], "en"]);
  expect(authorization).toBe("Bearer secret");
  const [{ file, ...fields }] = asked as [(typeof asked)[number]];
  expect(fields).toEqual({
    model: ["whisper-1"],
    response_format: ["verbose_json"],
    "timestamp_granularities[]": ["word", "segment"],
    language: ["en"],
    prompt: ["Sluice"],
    temperature: ["0"],
  });
  expect([...new Uint8Array(await (file![0] as File).arrayBuffer())]).toEqual([1, 2, 3]);
});

test("a model that refuses verbose_json is asked for the text alone", async () => {
  answer = (form, _request, response) =>
    form.get("response_format") === "json"
      ? json(response, 200, { text: "two words" })
      : json(response, 400, { error: { message: "response_format 'verbose_json' is not compatible" } });
  const { words, hasWordTimes } = await transcribe();
  expect([textOf(words), hasWordTimes, words[1]!.startMs]).toEqual(["two words", false, 1500]);
  expect(asked.map(({ response_format: format }) => format?.[0])).toEqual(["verbose_json", "verbose_json", "json"]);
});

test.each([
  [401, "ai_key_refused"],
  [404, "ai_model_unknown"],
  [413, "ai_piece_too_large"],
  [400, "ai_refused"],
  [402, "ai_refused"],
  [500, "ai_failed"],
  [302, "ai_redirected"],
] as const)("a status of %d is %s", async (status, code) => {
  answer = (_form, _request, response) => json(response, status, {}, { location: "http://127.0.0.1:1/" });
  await expect(transcribe()).rejects.toMatchObject({ code });
});

test("a busy server says when to ask again", async () => {
  answer = (_form, _request, response) => json(response, 429, {}, { "retry-after": "7" });
  await expect(transcribe()).rejects.toMatchObject({ code: "ai_busy", retryAfterMs: 7000, isRetryable: true });
});

test.each([
  ["prose", "Here is your transcription!"],
  ["JSON that is cut off", '{"text": "Hel'],
  ["more than 10 MiB", `"${"x".repeat(11 << 20)}"`],
  ["another object", '{"choices": []}'],
])("%s is no transcription", async (_name, body) => {
  answer = (_form, _request, response) => response.end(body);
  await expect(transcribe()).rejects.toMatchObject({ code: "ai_answer_unusable", isRetryable: false });
});

test("a server that hangs up, and one that does not answer in time, are unreachable", async () => {
  answer = (_form, request) => request.socket.destroy();
  await expect(transcribe()).rejects.toMatchObject({ code: "ai_unreachable" });
  answer = (_form, _request, response) => {
    response.writeHead(200, { "content-length": "100" });
    response.write("{");
    response.destroy();
  };
  await expect(transcribe()).rejects.toMatchObject({ code: "ai_unreachable" });
  answer = () => {};
  await expect(transcribe(100)).rejects.toMatchObject({ code: "ai_unreachable", isPaid: true }); // it may have worked
});

test("a server that is not reached costs nothing", async () => {
  const nobody = { baseUrl: "http://127.0.0.1:9/v1", key: "", model: "whisper-1" };
  const asking = transcribeAtEndpoint(nobody, REQUEST, AbortSignal.timeout(30_000));
  await expect(asking).rejects.toMatchObject({ code: "ai_unreachable", isRetryable: true, isPaid: false });
});

test("the way that a server has answered is asked first from then on", async () => {
  answer = (form, _request, response) =>
    form.get("response_format") === "verbose_json"
      ? json(response, 400, { error: { message: "no verbose_json" } })
      : json(response, 200, { text: "hello" });
  const endpoint = { baseUrl, key: "", model: "text-alone" };
  for (const calls of [3, 1]) {
    asked.splice(0);
    await transcribeAtEndpoint(endpoint, REQUEST, AbortSignal.timeout(30_000));
    expect(asked).toHaveLength(calls);
  }
});
