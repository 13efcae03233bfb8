/** Captions by a provider, on the whole platform: the encoder cuts real sound, and a server of this test answers for each piece. */
import { access, chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { runCommand } from "../support/command.ts";
import { isReady, type Media, startTestPlatform, type TestPlatform } from "../support/platform.ts";
import { type SourceServer, startSourceServer } from "../support/source-server.ts";
import { answerJson, heardWords, type SpeechStandIn, startSpeechStandIn } from "../support/speech-stand-in.ts";
import { waveFile } from "../support/wave-file.ts";

/** Sound of 4 s, and a pause of 1 s, again and again: 250 s of them have pieces of a minute and more. */
const [TONE_S, PAUSE_S, SECONDS] = [4, 1, 250];
const RATE_HZ = 8000;

interface Generated {
  id: string;
  status: string;
  url?: string;
  percent?: number;
  result?: {
    engine: string;
    model: string;
    languageCode: string;
    soundSeconds: number;
    units: object;
    costUsd: number;
  };
}
type CaptionedMedia = Media & { generatedSubtitles: Generated[] };

let platform: TestPlatform;
let server: SourceServer;
let provider: SpeechStandIn;
/** A media of `SECONDS`. */
let mediaId: string;
let playbackId: string;
let soundId: string;
/** One of eight seconds, which is one piece. */
let short: { mediaId: string; soundId: string; playbackId: string };

function sound(seconds: number): Buffer {
  const sampleAt = (index: number) => {
    const at = index / RATE_HZ;
    return at % (TONE_S + PAUSE_S) < TONE_S ? 0.4 * Math.sin(2 * Math.PI * 300 * at) : 0;
  };
  return waveFile({ sampleRateHz: RATE_HZ, channels: 1, samples: seconds * RATE_HZ, sampleAt });
}

beforeAll(async () => {
  provider = await startSpeechStandIn();
  const vars = { AI_BASE_URL: provider.baseUrl, AI_MONTHLY_BUDGET_USD: "0.15", SOURCE_RETRY_SCALE: "0.05" };
  [platform, server] = await Promise.all([startTestPlatform({ vars }), startSourceServer()]);
  server.add("/long.wav", { kind: "content", content: sound(SECONDS) });
  server.add("/short.wav", { kind: "content", content: sound(8) });
  ({ assetId: mediaId, playbackId } = await platform.create(server.url("/long.wav")));
  const media = await platform.until(mediaId, isReady);
  soundId = media.tracks.find(({ type }) => type === "audio")!.id;
  const made = await platform.create(server.url("/short.wav"));
  const { tracks } = await platform.until(made.assetId, isReady);
  short = {
    mediaId: made.assetId,
    soundId: tracks.find(({ type }) => type === "audio")!.id,
    playbackId: made.playbackId,
  };
});
afterAll(async () => {
  await platform?.stop();
  await server?.stop();
  await provider?.stop();
});
beforeEach(() => provider.forget());

let names = 0;
/** Languages have a name of letters. */
const newName = () => `English ${String.fromCharCode(65 + names++)}`;

/** Captions that another test has made of the same sound are deleted before. */
async function ask(more: object = {}, of = { mediaId, soundId }) {
  const { body } = await platform.api<CaptionedMedia>("GET", `/v1/on-demand/${of.mediaId}`);
  for (const { id } of body.data.generatedSubtitles)
    await platform.api("DELETE", `/v1/on-demand/${of.mediaId}/tracks/${id}`);
  const path = `/v1/on-demand/${of.mediaId}/tracks/${of.soundId}/generate-subtitles`;
  return await platform.api<{ id: string; message?: string }>("POST", path, {
    languageCode: "en-US",
    languageName: newName(),
    ...more,
  });
}

const generatedIn = (media: Media, id: string) =>
  (media as CaptionedMedia).generatedSubtitles.find((one) => one.id === id)!;

/** The track when its preparation has ended. */
async function ended(id: string, of = mediaId): Promise<Generated & { error?: { code: string } }> {
  const isEnded = (media: Media) => ["available", "failed"].includes(generatedIn(media, id)?.status ?? "");
  const media = await platform.until(of, isEnded, 60_000);
  const track = media.tracks.find((one) => one.id === id) as { error?: { code: string } } | undefined;
  return { ...track, ...generatedIn(media, id) };
}

async function made(more: object = {}, of = { mediaId, soundId }) {
  const { body } = await ask(more, of);
  return await ended(body.data.id, of.mediaId);
}

const text = async (path: string, of = playbackId) =>
  await (await fetch(`${platform.baseUrl}/${of}/text/${path}`)).text();
const usage = async () =>
  (await platform.api<{ spentUsd: number; days: { calls: number }[] }>("GET", "/v1/ai/usage")).body.data;

test("pieces are heard four at a time and joined; the result says by whom, and usage what it cost", async () => {
  provider.answer(
    ({ response }) =>
      void sleep(300).then(() =>
        answerJson(response, 200, { ...heardWords("one two three four"), model: "whisper-1-2026-11" }),
      ),
  );
  const before = await usage();
  const track = await made({ vocabulary: ["Ada Lovelace"] });
  expect(track).toMatchObject({
    status: "available",
    result: { engine: "openai-compatible", model: "whisper-1", version: "whisper-1-2026-11", languageCode: "en" },
  });
  const { soundSeconds, units } = track.result!;
  expect(units).toEqual({ unit: "second", quantity: soundSeconds });
  const { asked } = provider;
  expect([asked.length, provider.mostAtOnce()]).toEqual([4, 4]); // the least that can be heard at once
  expect(asked.map(({ form }) => [form.get("language"), form.get("prompt"), form.get("model")])).toEqual(
    asked.map(() => ["en", "Ada Lovelace", "whisper-1"]),
  );
  const { words } = JSON.parse(await text(`${track.id}.json`)) as { words: { startMs: number; text: string }[] };
  expect(words.map((word) => word.text)).toEqual(asked.flatMap(() => ["one", "two", "three", "four"]));
  expect(words[0]).toEqual({ startMs: 200, endMs: 800, text: "one" });
  expect(words.map(({ startMs }) => startMs)).toEqual(words.map(({ startMs }) => startMs).toSorted((a, b) => a - b));
  expect((await text(`${track.id}.vtt`)).split("\n").slice(0, 4)).toEqual([
    "WEBVTT",
    "",
    "00:00:00.200 --> 00:00:04.100",
    "one two three four",
  ]);
  const after = await usage();
  expect(after.spentUsd - before.spentUsd).toBeCloseTo(track.result!.costUsd, 5);
  // 200 s of tones and a quarter of a second at both ends of each pause, at 0.006 dollars a minute.
  expect(track.result!.costUsd).toBeCloseTo((track.result!.soundSeconds / 60) * 0.006, 4);
});

describe("a provider that fails", () => {
  test("is asked again for that piece alone, when it says so", async () => {
    let failures = 0;
    provider.answer(({ response, number }) => {
      if (number !== 1 && number !== 2) return answerJson(response, 200, heardWords("one two three four"));
      failures += 1;
      return number === 1 ? answerJson(response, 429, {}, { "retry-after": "1" }) : response.writeHead(500).end("no");
    });
    const before = await usage();
    const track = await made();
    expect([track.status, failures, provider.asked.length]).toEqual(["available", 2, 6]);
    const busy = provider.asked[1]!;
    const after = provider.asked.slice(4).map(({ fromMs }) => fromMs);
    expect(Math.max(...after) - busy.untilMs).toBeGreaterThanOrEqual(900);
    expect((await usage()).days[0]!.calls - before.days[0]!.calls).toBe(4); // what was not heard is not paid
  });

  test.each([
    ["prose", "ai_answer_unusable", 3, (number: number) => ({ status: 200, body: `Sure! Here is piece ${number}.` })],
    ["an error as a page", "ai_answer_unusable", 3, () => ({ status: 200, body: "<html></html>" })],
    ["a wrong key", "ai_key_refused", 1, () => ({ status: 401, body: "{}" })],
    ["an unknown model", "ai_model_unknown", 1, () => ({ status: 404, body: "{}" })],
  ])("%s ends the track with a reason, and the media plays on", async (_, code, calls, answerOf) => {
    provider.answer(({ response, number }) => {
      const { status, body } = answerOf(number);
      response.writeHead(status, { "content-type": "text/plain" }).end(body);
    });
    const track = await made({}, short);
    expect([track.status, track.error?.code]).toEqual(["failed", code]);
    expect(provider.asked).toHaveLength(calls);
    expect((await fetch(`${platform.baseUrl}/${short.playbackId}.m3u8`)).status).toBe(200);
  });

  test("what was heard before is not asked for again by the next request", async () => {
    provider.answer(({ response }) => {
      if (provider.asked.length < 4) return answerJson(response, 200, heardWords("one two three four"));
      return void response.writeHead(401).end();
    });
    expect((await made()).status).toBe("failed");
    const before = provider.asked.length;
    provider.answer(({ response }) => answerJson(response, 200, heardWords("five six seven eight")));
    const track = await made();
    expect([track.status, provider.asked.length - before]).toEqual(["available", 1]);
    const { words } = JSON.parse(await text(`${track.id}.json`)) as { words: { text: string }[] };
    expect(words.filter((word) => word.text === "five")).toHaveLength(1);
  });

  test("empty lists are no speech", async () => {
    provider.answer(({ response }) => answerJson(response, 200, { text: "", segments: [], words: [] }));
    const track = await made({}, short);
    expect([track.status, track.error?.code]).toEqual(["failed", "no_speech"]);
  });

  test("words out of order are mended, and of times that cannot be the text stays", async () => {
    provider.answer(({ response }) =>
      answerJson(response, 200, {
        text: "b a z",
        words: [
          { word: "b", start: 2, end: 1 },
          { word: "a", start: 1, end: 900 },
          { word: "z", start: 5000, end: 5001 },
        ],
      }),
    );
    const track = await made({}, short);
    const { words } = JSON.parse(await text(`${track.id}.json`, short.playbackId)) as {
      words: { startMs: number; endMs: number; text: string }[];
    };
    expect(words.map((word) => word.text)).toEqual(["b", "a", "z"]);
    for (const [at, { startMs, endMs }] of words.entries()) {
      expect(endMs).toBeGreaterThanOrEqual(startMs);
      expect(startMs).toBeGreaterThanOrEqual(words[at - 1]?.endMs ?? 0);
    }
  });

  test("a sound in which a phrase comes again and again is asked for in two halves", async () => {
    const loop = Array.from({ length: 20 }, () => "thank you").join(" ");
    provider.answer(({ response, form }) =>
      answerJson(response, 200, heardWords(form.get("temperature") === "0" ? loop : "one two")),
    );
    const track = await made({}, short);
    expect([track.status, provider.asked.length]).toEqual(["available", 3]);
    const { words } = JSON.parse(await text(`${track.id}.json`, short.playbackId)) as {
      words: { startMs: number; text: string }[];
    };
    expect(words.map((word) => word.text)).toEqual(["one", "two", "one", "two"]);
    // The pause of a second is in the middle of the eight: the second half begins in what is left of it.
    expect(words[2]!.startMs - 200).toBeGreaterThanOrEqual(4000);
    expect(words[2]!.startMs - 200).toBeLessThanOrEqual(5000);
  });

  test("a piece that is too large for a server is asked for in halves, and what it refused is not paid", async () => {
    const secondsOf = async (file: File) => new DataView(await file.arrayBuffer()).getUint32(22) / 16_000; // STREAMINFO
    provider.answer(
      ({ response, form }) =>
        void secondsOf(form.get("file") as File).then((seconds) =>
          seconds > 45 ? answerJson(response, 413, {}) : answerJson(response, 200, heardWords("one two")),
        ),
    );
    const before = await usage();
    const track = await made();
    expect(track.status).toBe("available");
    const { words } = JSON.parse(await text(`${track.id}.json`)) as { words: { startMs: number; text: string }[] };
    expect(words).toHaveLength(14); // the last one of the four pieces is shorter
    expect((await usage()).days[0]!.calls - before.days[0]!.calls).toBe(7);
    expect(provider.asked).toHaveLength(10);
  });
});

describe("captions of a creation", () => {
  const subtitles = { languageName: "English", languageCode: "en", metadata: { a: "b" } };

  test("are made when the media is ready, and its language is found where it was not given", async () => {
    provider.answer(({ response }) => answerJson(response, 200, heardWords("one two three four")));
    const { languageCode: _, ...unknown } = subtitles;
    const { assetId } = await platform.create(server.url("/short.wav"), { subtitles: unknown });
    const media = (await platform.until(assetId, (one) => isReady(one))) as CaptionedMedia;
    const track = await ended(media.generatedSubtitles[0]!.id, assetId);
    expect(track).toMatchObject({ status: "available", languageCode: "en" });
    expect([provider.asked.length, provider.asked[0]!.form.get("language")]).toEqual([1, null]);
  });

  test("take those that came with the media", async () => {
    server.add("/en.vtt", {
      kind: "content",
      content: Buffer.from("WEBVTT\n\n00:01.000 --> 00:02.000\nGiven.\n"),
    });
    const inputs = [
      { type: "video", url: server.url("/short.wav") },
      { type: "subtitle", url: server.url("/en.vtt"), languageName: "Given", languageCode: "en-US" },
    ];
    const { assetId, playbackId: id } = await platform.create("", { inputs, subtitles });
    const media = (await platform.until(assetId, isReady)) as CaptionedMedia;
    const track = await ended(media.generatedSubtitles[0]!.id, assetId);
    expect(track).toMatchObject({ status: "available", result: { engine: "source", costUsd: 0 } });
    expect(await (await fetch(track.url!)).text()).toContain("Given.");
    expect(provider.asked).toEqual([]);
    const multivariant = await (await fetch(`${platform.baseUrl}/${id}.m3u8`)).text();
    expect(multivariant.match(/TYPE=SUBTITLES/g)).toHaveLength(1); // players offer it once
  });
});

test("a clip has the captions of its part, with the times of their words, and hears nothing again", async () => {
  provider.answer(({ response }) => answerJson(response, 200, heardWords("one two three four")));
  expect((await made({}, short)).status).toBe("available");
  provider.forget();
  const inputs = [{ type: "video", url: `fp_mediaId://${short.mediaId}`, startTime: 2, endTime: 7 }];
  const clip = await platform.create("", { inputs });
  const media = (await platform.until(clip.assetId, isReady)) as CaptionedMedia;
  const own = media.generatedSubtitles.at(-1)!; // the media has those of other tests, too
  expect(own).toMatchObject({ status: "available", result: { engine: "openai-compatible", costUsd: 0 } });
  const { words } = JSON.parse(await text(`${own.id}.json`, clip.playbackId)) as { words: object[] };
  expect(words.slice(-2)).toEqual([
    { startMs: 200, endMs: 800, text: "three" },
    { startMs: 1200, endMs: 1800, text: "four" },
  ]);
  expect(provider.asked).toEqual([]);
});

describe("the text of a track", () => {
  const VTT = "WEBVTT\n\n00:01.000 --> 00:02.000\nEdited.\n";
  let track: Generated;
  let path: string;
  beforeAll(async () => {
    provider.answer(({ response }) => answerJson(response, 200, heardWords("one two three four")));
    track = await made({}, short);
    path = `/v1/on-demand/${short.mediaId}/tracks/${track.id}/vtt`;
  });
  const put = (body: BodyInit, headers: Record<string, string> = {}) =>
    fetch(`${platform.baseUrl}${path}`, {
      method: "PUT",
      body,
      headers: { authorization: platform.authorization, "content-type": "text/vtt", ...headers },
    });
  const read = () => fetch(`${platform.baseUrl}${path}`, { headers: { authorization: platform.authorization } });

  test("is replaced once by two editors, played by every address, and restored", async () => {
    const first = await read();
    const etag = first.headers.get("etag")!;
    const original = await first.text();
    const [one, other] = await Promise.all([put(VTT, { "if-match": etag }), put(VTT, { "if-match": etag })]);
    expect(new Set([one.status, other.status])).toEqual(new Set([200, 412]));
    expect(await (await read()).text()).toContain("00:00:01.000 --> 00:00:02.000\nEdited.\n");
    const shown = async () => {
      const playlist = await text(`${track.id}.m3u8`, short.playbackId);
      const segment = playlist.split("\n").find((line) => line.endsWith(".vtt")) ?? "";
      return await text(segment, short.playbackId);
    };
    expect(await shown()).toContain("Edited.");
    expect(await text(`${track.id}.vtt`, short.playbackId)).toContain("Edited.");
    const restored = await platform.api<{ version: number; restoredFrom: number }>(
      "POST",
      `${path}/versions/1/restore`,
    );
    expect(restored.body.data).toMatchObject({ version: 3, restoredFrom: 1, isCurrent: true });
    expect(await (await read()).text()).toBe(original);
    expect(await shown()).toContain("one two");
    const { body } = await platform.api<{ version: number }[]>("GET", `${path}/versions`);
    expect(body.data.map(({ version }) => version)).toEqual([3, 2, 1]);
    const { body: events } = await platform.api<{ type: string }[]>(
      "GET",
      `/v1/events?objectId=${short.mediaId}&naming=video&limit=4`,
    );
    expect(events.data.map(({ type }) => type)).toEqual([
      "video.media.updated",
      "video.media.track.updated",
      "video.media.updated",
      "video.media.track.updated",
    ]);
  });

  test.each([
    ["what is no WebVTT", "<script>alert(1)</script>", 422],
    ["what is not UTF-8", new Uint8Array([0x57, 0x45, 0xff, 0xfe]), 422],
    ["no caption", "WEBVTT\n", 422],
    ["more than 10 MiB", new Uint8Array(10 * 1024 * 1024 + 1), 413],
  ])("is not replaced by %s", async (_, body, status) => {
    const before = await (await read()).text();
    expect((await put(body)).status).toBe(status);
    expect(await (await read()).text()).toBe(before);
  });
});

describe("the command line", () => {
  const sluice = (args: string[], env: Record<string, string> = {}) =>
    runCommand([process.execPath, resolve("sdk/bin/sluice.js"), ...args], {
      env: { SLUICE_HOME: platform.home, ...env },
    });
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "sluice-captions-test-"));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  /** An editor that replaces a word. */
  async function editor(from: string, to: string): Promise<string> {
    const path = join(folder, `${to.length}.sh`);
    await writeFile(path, `#!/bin/sh\nsed -i 's/${from}/${to}/' "$1"\n`);
    await chmod(path, 0o700);
    return path;
  }

  test("makes captions, opens them in an editor and saves the change", async () => {
    provider.answer(({ response }) => answerJson(response, 200, heardWords("one two three four")));
    const { assetId, playbackId: id } = await platform.create(server.url("/short.wav"));
    await platform.until(assetId, isReady);
    const env = { EDITOR: await editor("one two", "One, two") };
    const made = await sluice(["captions", assetId, "--edit", "--json"], env);
    expect([made.status, made.said.map(({ kind }) => kind).filter((kind) => kind !== "progress")]).toEqual([
      0,
      ["made", "captions", "saved"],
    ]);
    const [{ trackId }] = made.said.filter(({ kind }) => kind === "captions") as unknown as [{ trackId: string }];
    const vtt = await (await fetch(`${platform.baseUrl}/${id}/text/${trackId}.vtt`)).text();
    expect(vtt).toContain("One, two three four");
    const again = await sluice(["captions", assetId, "--language", "en", "--json"]);
    expect([again.status, again.said.at(-1)]).toMatchObject([0, { kind: "captions", trackId }]);
    const other = await sluice(["captions", assetId, "--name", "Other"]);
    expect([other.status, other.output]).toEqual([1, expect.stringContaining(trackId)]);
    const german = await sluice(["captions", assetId, "--language", "de", "--json"]);
    expect([german.status, german.said.at(-1)]).toMatchObject([0, { kind: "captions", languageCode: "de-DE" }]);
    const broken = await sluice(["captions", assetId, "--edit"], { EDITOR: await editor("WEBVTT", "WEB") });
    expect([broken.status, broken.output]).toEqual([
      1,
      expect.stringMatching(/Must be WebVTT, .*\. Your text is in .*\.vtt/),
    ]);
  });

  test("fetches a model whole or not at all", async () => {
    const path = join(folder, "model.bin");
    server.add("/ggml-tiny.bin", { kind: "content", content: Buffer.from("not this model") });
    const get = (name: string) =>
      sluice(["whisper", "get", name, "--to", path, "--from", new URL(server.url("/")).origin]);
    const other = await get("tiny");
    expect([other.status, other.output]).toEqual([1, expect.stringContaining("its sum differs")]);
    await expect(access(path)).rejects.toThrow("ENOENT");
    expect((await get("base")).output).toContain("answered with 404");
    expect(await get("huge")).toMatchObject({ status: 2 });
  });
});

test("what the budget of the month does not cover is refused, and costs nothing", async () => {
  provider.answer(({ response }) => answerJson(response, 200, heardWords("one two three four")));
  // Each track costs 0.022 dollars of the 0.15.
  let answer = await ask();
  for (; answer.status === 200; answer = await ask())
    expect((await ended(answer.body.data.id)).status).toBe("available");
  expect(answer).toMatchObject({ status: 400, body: { error: { message: "AI budget is spent" } } });
  const { spentUsd } = await usage();
  expect(spentUsd).toBeLessThanOrEqual(0.15);
  expect(spentUsd).toBeGreaterThan(0.12);
  provider.forget();
  server.add("/longer.wav", { kind: "content", content: sound(SECONDS * 2) });
  const { assetId } = await platform.create(server.url("/longer.wav"), { subtitles: { languageName: "English" } });
  const media = (await platform.until(assetId, isReady)) as CaptionedMedia;
  const track = await ended(media.generatedSubtitles[0]!.id, assetId);
  expect([track.status, track.error?.code]).toEqual(["failed", "ai_budget_spent"]);
  expect(provider.asked).toEqual([]);
});
