/** Captions that are made of a sound: the jobs of an encoder that this test plays, in any order and with failures. */
import { env } from "cloudflare:test";
import { eq } from "drizzle-orm";
import { beforeAll, describe, expect, test } from "vitest";
import type { JobResult } from "../../../../protocol/jobs.ts";
import type { JobGrant } from "../../../../src/library/encoding/job-token.ts";
import { tracks } from "../../../../src/library/assets/tables.ts";
import { newTrack } from "../../../../src/library/tracks/store/new-track.ts";
import { addedTracks } from "../../../../src/library/tracks/store/tables.ts";
import { forgetPlayback } from "../../../../src/playback/index.ts";
import { openDatabase } from "../../../../src/platform/database.ts";
import { captionsPrefix, renditionPrefix } from "../../../../src/platform/storage/keys.ts";
import { newWorkspace, type TestWorkspace } from "../../workspace.ts";
import { eventsOf, until } from "../../events/webhooks/webhook-rows.ts";
import { addRung, get, newAsset } from "../../playback/playable.ts";
import { callJob } from "../encoding/job-calls.ts";

let workspace: TestWorkspace;
beforeAll(async () => {
  workspace = await newWorkspace();
});

interface Record {
  tracks: { id: string; status: string; error?: { code: string } }[];
  generatedSubtitles: object[];
}

const SPANS: [number, number, number][][] = [
  [
    [0, 1000, 3000],
    [3000, 60_000, 2000],
  ],
  [[0, 90_000, 4000]],
];
const speech = (spans = SPANS): JobResult => ({
  kind: "speech",
  durationMs: 100_000,
  pieces: spans.map((one) => ({ spans: one, durationMs: 5000, bytes: 1000 })),
});
const heard = (...words: [number, number, string][]): JobResult => ({
  kind: "transcribe",
  engine: "whisper.cpp",
  model: "ggml-base-q5_1",
  version: "0.0.4+422f1ae452ad",
  languageCode: "en",
  words: words.map(([start, end, text]) => [start, end, text, true]),
  transcribeMs: 1,
  cpuMs: 1,
});

/** A ready media of 100 s with a sound, and a track that is to be made of it. */
async function newGenerated() {
  const made = await newAsset({ workspaceId: workspace.id, status: "ready", stage: "done", durationMs: 100_000 });
  const sound = {
    kind: "audio",
    widthPx: null,
    heightPx: null,
    channels: 2,
    timescale: 48_000,
    isDefault: true,
  } as const;
  await addRung(made.assetId, "a1", { ...sound, codec: "mp4a.40.2" });
  const soundId = crypto.randomUUID();
  await openDatabase(env.DB).insert(tracks).values({ id: soundId, assetId: made.assetId, position: 1, kind: "audio" });
  const path = `/v1/on-demand/${made.assetId}/tracks/${soundId}/generate-subtitles`;
  const answer = await workspace.request("POST", path, { languageCode: "en-GB", languageName: "English" });
  const { data } = await answer.json<{ data: { id: string } }>();
  const rendition = `speech-${data.id.replaceAll("-", "").slice(0, 28)}`;
  const call = (kind: string, init: Parameters<typeof callJob>[1], grant: Partial<JobGrant> = {}) =>
    callJob({ assetId: made.assetId, job: `track.${data.id}.${kind}` }, init, {
      renditions: [rendition],
      sound: "a1",
      ...grant,
    });
  const post = (kind: string, action: string, body: unknown, grant: Partial<JobGrant> = {}) =>
    call(kind, { method: "POST", path: action, body: JSON.stringify(body) }, grant);
  const isContinued = async (kind: string) => {
    const heartbeat = { attempt: 1, state: "running", progress: 0, speed: 0 };
    return (await (await post(kind, "heartbeat", heartbeat)).json<{ continue: boolean }>()).continue;
  };
  const read = async () => {
    const { data: media } = await (
      await workspace.request("GET", `/v1/on-demand/${made.assetId}`)
    ).json<{ data: Record }>();
    return { media, track: media.tracks.find(({ id }) => id === data.id) };
  };
  await until(() => isContinued("speech"), Boolean);
  return { ...made, path, answer, data, rendition, call, post, isContinued, read };
}

test("a sound is cut, heard in any order, and becomes a track; its pieces are deleted with it", async () => {
  const { assetId, playbackId, answer, data, rendition, call, post, isContinued, read } = await newGenerated();
  expect([answer.status, data]).toEqual([
    200,
    { id: data.id, type: "subtitle", languageCode: "en-GB", languageName: "English" },
  ]);
  expect((await read()).media.generatedSubtitles).toEqual([
    { id: data.id, languageCode: "en-GB", languageName: "English", status: "preparing", percent: 0 },
  ]);
  const whole = new Uint8Array(await (await call("speech", { method: "GET", path: "sound" })).arrayBuffer());
  expect([whole.length, whole[699], whole[700], whole[5700], whole[8699]]).toEqual([8700, 0, 1, 2, 2]);
  for (const piece of [0, 1])
    expect(
      (await call("speech", { method: "PUT", path: `objects/${rendition}/${piece}.flac`, body: "fLaC" })).status,
    ).toBe(204);
  expect((await call("speech", { method: "PUT", path: `objects/${rendition}/0.m4s`, body: "x" })).status).toBe(403);
  await post("speech", "complete", speech());
  await until(() => isContinued("transcribe-1"), Boolean);
  const piece = { piece: { rendition, number: 1 } };
  expect(await (await call("transcribe-1", { method: "GET", path: "piece" }, piece)).text()).toBe("fLaC");
  await post("transcribe-1", "complete", heard([500, 900, "Good"], [900, 1400, "night."]));
  await until(
    async () => (await read()).media.generatedSubtitles[0] as { percent?: number },
    ({ percent }) => percent === 50,
  );
  await post("transcribe-0", "complete", heard([0, 400, "Hello"], [400, 900, "there."], [3100, 3500, "Later."]));
  await until(
    async () => (await read()).track?.status,
    (status) => status === "available",
  );
  const { media } = await read();
  expect(media.generatedSubtitles).toMatchObject([
    {
      url: expect.stringMatching(new RegExp(`/text/${data.id}\\.vtt$`)),
      result: {
        engine: "whisper.cpp",
        model: "ggml-base-q5_1",
        version: "0.0.4+422f1ae452ad",
        languageCode: "en",
        soundSeconds: 10,
        units: { unit: "second", quantity: 10 },
        costUsd: 0,
      },
    },
  ]);
  forgetPlayback(playbackId);
  const vtt = await (await get(`/${playbackId}/text/${data.id}.vtt`)).text();
  expect(vtt.trim().split("\n\n")).toEqual([
    "WEBVTT",
    "00:00:01.000 --> 00:00:02.200\nHello there.",
    "00:01:00.100 --> 00:01:00.900\nLater.",
    "00:01:30.500 --> 00:01:31.700\nGood night.",
  ]);
  expect((await eventsOf(assetId)).map(({ videoType }) => videoType)).toEqual([
    "video.media.track.created",
    "video.media.track.ready",
    "video.media.subtitle.generated.ready",
    "video.media.updated",
  ]);
  await workspace.request("DELETE", `/v1/on-demand/${assetId}/tracks/${data.id}`);
  for (const prefix of [renditionPrefix(assetId, rendition), captionsPrefix(assetId, data.id)])
    await until(
      async () => (await env.MEDIA.list({ prefix })).objects.length,
      (count) => count === 0,
    );
});

test("a piece in which the model repeats itself is heard once more, and then its loop is taken out", async () => {
  const { playbackId, data, post, isContinued, read } = await newGenerated();
  await post("speech", "complete", speech(SPANS.slice(1)));
  await until(() => isContinued("transcribe-0"), Boolean);
  const loop = Array.from({ length: 9 }, (_, n): [number, number, string] => [n * 100, n * 100 + 90, "thanks"]);
  await post("transcribe-0", "complete", heard(...loop));
  expect(await isContinued("transcribe-0")).toBe(false); // the second attempt is another one
  await until(async () => {
    const report = { attempt: 2, state: "running", progress: 0, speed: 0 };
    const answer = await post("transcribe-0", "heartbeat", report, { attempt: 2 });
    return (await answer.json<{ continue: boolean }>()).continue;
  }, Boolean);
  const second = { ...heard(...loop, [2000, 2400, "Bye."]), languageCode: "de" };
  await post("transcribe-0", "complete", second, { attempt: 2 });
  await until(
    async () => (await read()).track?.status,
    (status) => status === "available",
  );
  forgetPlayback(playbackId);
  expect(await (await get(`/${playbackId}/text/${data.id}.txt`)).text()).toBe("thanks\nBye.\n");
  // Another language was heard than was asked for.
  expect((await read()).media.generatedSubtitles).toMatchObject([
    { languageCode: "en-GB", result: { languageCode: "de" } },
  ]);
});

describe("a track fails with a reason", () => {
  test("when nothing is spoken", async () => {
    const { post, read } = await newGenerated();
    await post("speech", "complete", speech([]));
    const ended = await until(
      async () => (await read()).track,
      (track) => track?.status === "failed",
    );
    expect(ended?.error?.code).toBe("no_speech");
    expect((await read()).media.generatedSubtitles).toMatchObject([{ status: "failed", error: ended!.error! }]);
  });

  test("when only markers are heard", async () => {
    const { post, isContinued, read } = await newGenerated();
    await post("speech", "complete", speech(SPANS.slice(1)));
    await until(() => isContinued("transcribe-0"), Boolean);
    await post("transcribe-0", "complete", heard([0, 900, "[BLANK_AUDIO]"], [1000, 1100, "♪"]));
    const ended = await until(
      async () => (await read()).track,
      (track) => track?.status === "failed",
    );
    expect(ended?.error?.code).toBe("no_speech");
  });
});

describe("captions of a sound in a language are made once", () => {
  const again = (path: string, languageCode: string, languageName: string) =>
    workspace.request("POST", path, { languageCode, languageName });

  test("under whatever name and region, also by two requests at once, until the first have failed", async () => {
    const { path, data, post, read } = await newGenerated();
    for (const [code, name] of [
      ["en-GB", "English"],
      ["en-GB", "Another name"],
      ["en-US", "American"],
    ] as const) {
      const answer = await again(path, code, name);
      expect([answer.status, await answer.json()]).toMatchObject([
        400,
        { error: { message: "captions already exist", description: expect.stringContaining(data.id) as string } },
      ]);
    }
    const both = await Promise.all([again(path, "de-DE", "Deutsch"), again(path, "de-AT", "German")]);
    expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 400]);
    await post("speech", "complete", speech([]));
    await until(
      async () => (await read()).track?.status,
      (status) => status === "failed",
    );
    expect((await again(path, "en-GB", "English")).status).toBe(200);
  });

  test("and not while a creation's have a language that is still to be heard", async () => {
    const { assetId, path, data } = await newGenerated();
    const db = openDatabase(env.DB);
    const [made] = await db.select().from(addedTracks).where(eq(addedTracks.id, data.id));
    await db
      .update(addedTracks)
      .set({ languageCode: "und", generated: { ...made!.generated!, languageCode: null } })
      .where(eq(addedTracks.id, data.id));
    expect((await again(path, "fr-FR", "French")).status).toBe(400);
    const translated = { ...made!.generated!, languageCode: "fr", translatedFrom: assetId };
    await db.update(addedTracks).set({ languageCode: "fr", generated: translated }).where(eq(addedTracks.id, data.id));
    expect((await again(path, "fr-FR", "French")).status).toBe(200); // a translation is not what is spoken
  });

  test("but of another sound, and when the first are deleted", async () => {
    const { assetId, path, data } = await newGenerated();
    const other = crypto.randomUUID();
    await openDatabase(env.DB).insert(tracks).values({ id: other, assetId, position: 2, kind: "audio" });
    await addRung(assetId, "a2", {
      kind: "audio",
      widthPx: null,
      heightPx: null,
      channels: 2,
      timescale: 48_000,
      isDefault: false,
      codec: "mp4a.40.2",
    });
    const ofOther = `/v1/on-demand/${assetId}/tracks/${other}/generate-subtitles`;
    expect((await again(ofOther, "en-GB", "Commentary")).status).toBe(200);
    expect((await again(path, "en-GB", "English")).status).toBe(400);
    await workspace.request("DELETE", `/v1/on-demand/${assetId}/tracks/${data.id}`);
    expect((await again(path, "en-GB", "English")).status).toBe(200);
  });

  test("and those of a creation are of the default sound", async () => {
    const { assetId, path } = await newGenerated();
    const generated = { sound: null, languageCode: "fr", prompt: "", unlessGiven: true } as const;
    const request = { kind: "subtitle", url: null, languageCode: "fr", languageName: "French", generated } as const;
    await openDatabase(env.DB)
      .insert(addedTracks)
      .values(newTrack(request, assetId, new Date()));
    expect((await again(path, "fr-FR", "Francais")).status).toBe(400);
    await openDatabase(env.DB)
      .update(addedTracks)
      .set({
        status: "available",
        captions: {
          cueCount: 1,
          skippedCues: 0,
          peakBps: 1,
          averageBps: 1,
          generated: {
            engine: "source",
            model: "",
            languageCode: "fr",
            pieces: 0,
            soundSeconds: 0,
            costUsd: 0,
            tookMs: 0,
            takenFrom: crypto.randomUUID(),
          },
        },
      })
      .where(eq(addedTracks.languageCode, "fr"));
    // Those of the source were taken, so none were made.
    expect((await again(path, "fr-FR", "Francais")).status).toBe(200);
  });
});

test("a sound that the media does not have is not found", async () => {
  const { assetId } = await newAsset({ workspaceId: workspace.id, status: "ready", stage: "done" });
  const path = `/v1/on-demand/${assetId}/tracks/${crypto.randomUUID()}/generate-subtitles`;
  const answer = await workspace.request("POST", path, { languageCode: "en-US", languageName: "English" });
  expect(answer.status).toBe(404);
});

test("a track that is no sound is not found, and the answer says what it is", async () => {
  const { assetId, data } = await newGenerated();
  const { tracks: all } = (await (await workspace.request("GET", `/v1/on-demand/${assetId}`)).json<{ data: Record }>())
    .data;
  for (const [id, kind] of [
    [data.id, "subtitle"],
    [all[0]!.id, "video"],
  ] as const) {
    const path = `/v1/on-demand/${assetId}/tracks/${id}/generate-subtitles`;
    const answer = await workspace.request("POST", path, { languageCode: "fr-FR", languageName: "French" });
    expect([answer.status, await answer.json()]).toMatchObject([
      404,
      { error: { description: `the track is a ${kind} track: captions are made of an audio track` } },
    ]);
  }
});
