/** Results of AI of recordings and of clips of broadcasts: what a workspace has made of every new media, and what is asked for. The test plays the encoder. */
import { createExecutionContext, createMessageBatch, env, getQueueResult } from "cloudflare:test";
import { eq } from "drizzle-orm";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { JobResult } from "../../../protocol/jobs.ts";
import type { JobGrant } from "../../../src/library/encoding/job-token.ts";
import { assets } from "../../../src/library/assets/tables.ts";
import { endedInsight, insightsOf } from "../../../src/library/insights/store/repository.ts";
import { insights } from "../../../src/library/insights/store/tables.ts";
import { addedTracksOf, speechRenditionOf } from "../../../src/library/tracks/store/repository.ts";
import { consumeClips } from "../../../src/live/index.ts";
import { openDatabase } from "../../../src/platform/database.ts";
import { until } from "../events/webhooks/webhook-rows.ts";
import { callJob } from "../library/encoding/job-calls.ts";
import { newWorkspace, send, type TestWorkspace } from "../workspace.ts";
import { at, eventsOf, finish, newStream, settle } from "./live-helpers.ts";
import { broadcast } from "./recording-helpers.ts";

const db = openDatabase(env.DB);
let workspace: TestWorkspace;
beforeAll(() => import("compromise")); // the pool does not load modules within an object
beforeEach(async () => {
  workspace = await newWorkspace();
});

const setDefaults = async (newMedia: object) => {
  const answer = await workspace.request("PUT", "/v1/ai/settings", { newMedia });
  expect(answer.status).toBe(200);
};

/** A stream with a broadcast of three segments. */
async function onAir(settings: object = {}) {
  const stream = await newStream(workspace, settings);
  const { sessionId: id } = await broadcast(stream, 3);
  await settle(stream);
  return { stream, id, end: async () => expect((await finish(workspace, stream)).status).toBe(200) };
}
const recorded = async () => {
  const { stream, id, end } = await onAir();
  await end();
  return { stream, id };
};

/** Calls of a job of the encoder. It is asked for until its machine has planned it. */
async function jobOf(assetId: string, job: string, grant: Partial<JobGrant>) {
  const call = (init: Parameters<typeof callJob>[1]) => callJob({ assetId, job }, init, grant);
  const post = (path: string, body: unknown) => call({ method: "POST", path, body: JSON.stringify(body) });
  const heartbeat = { attempt: 1, state: "running", progress: 0, speed: 0 };
  const isContinued = async () => (await (await post("heartbeat", heartbeat)).json<{ continue: boolean }>()).continue;
  await until(isContinued, Boolean);
  return {
    read: async (path: string) => (await call({ method: "GET", path })).text(),
    put: (path: string) => call({ method: "PUT", path, body: "fLaC" }),
    complete: (result: JobResult) => post("complete", result),
  };
}

/** Every part of a segment of the broadcast. */
const partsOf = (name: string, segments: number[]) =>
  segments.map((msn) => [0, 1, 2, 3].map((part) => `[${name} ${msn}.${part}]`).join("")).join("");

/** Has the sound of a recording heard. */
async function hear(id: string, trackId: string, sound: string) {
  const rendition = speechRenditionOf(trackId);
  const grant = { renditions: [rendition], sound };
  const speech = await jobOf(id, `track.${trackId}.speech`, grant);
  const heard = await speech.read("sound");
  await speech.put(`objects/${rendition}/0.flac`);
  const pieces = [{ spans: [[0, 0, 6000] as [number, number, number]], durationMs: 6000, bytes: 4 }];
  await speech.complete({ kind: "speech", durationMs: 6000, pieces });
  const piece = await jobOf(id, `track.${trackId}.transcribe-0`, grant);
  await piece.complete({
    kind: "transcribe",
    engine: "whisper.cpp",
    model: "base",
    version: "1",
    languageCode: "en",
    words: ["Bees", "make", "honey."].map((word, n) => [n * 500, n * 500 + 400, word, true]),
    transcribeMs: 1,
    cpuMs: 1,
  });
  return heard;
}

const statusesOf = async (id: string) =>
  Object.fromEntries((await insightsOf(db, [id])).map(({ kind, status }) => [kind, status]));

describe("a recording", () => {
  test("gets what is made of every new media, of its segments", async () => {
    await setDefaults({ subtitles: true, summary: true, chapters: true, moderation: { type: "video" } });
    const { id } = await recorded();
    const [track, ...others] = await addedTracksOf(db, [id]);
    expect([others, track?.languageName, track?.status]).toEqual([[], "Automatic", "preparing"]);
    expect(await statusesOf(id)).toEqual({ summary: "preparing", chapters: "preparing", moderation: "preparing" });
    expect((await eventsOf(id)).map(({ type }) => type)).toEqual([
      "video.media.live_stream.created",
      "asset.ready",
      "live_stream.recording.ready",
      "video.media.track.created",
    ]);
    expect(await hear(id, track!.id, "a1")).toBe(`init a1 0${partsOf("a1", [0, 1, 2])}`);
    const moderation = (await insightsOf(db, [id])).find(({ kind }) => kind === "moderation")!;
    const pictures = await jobOf(id, `pictures.${moderation.requestId}`, { renditions: [], video: "v720" });
    expect(await pictures.read("video")).toBe(`init v720 0${partsOf("v720", [0, 1, 2])}`);
    await pictures.complete({ kind: "pictures", pictures: [[0, 0.1]], engine: "nsfwjs", model: "m", judgeMs: 1 });
    await until(
      () => statusesOf(id),
      (statuses) => Object.values(statuses).every((status) => status === "available"),
    );
  });

  test("keeps what was asked for during its broadcast, and what it brought with it", async () => {
    await setDefaults({ subtitles: true, summary: true, moderation: { type: "video" } });
    const { id, end } = await onAir();
    const asked = await workspace.request("PATCH", `/v1/on-demand/${id}/summary`, {
      generate: true,
      summaryLength: 30,
    });
    expect(asked.status).toBe(200);
    await end();
    expect((await insightsOf(db, [id])).map(({ kind, order }) => [kind, order])).toEqual([
      ["moderation", { type: "video", action: "none", threshold: 0.5 }],
      ["summary", { summaryWords: 30 }],
    ]);
    expect((await addedTracksOf(db, [id])).length).toBe(1);
  });

  test("gets nothing by default; captions and scores may be asked for", async () => {
    const { id } = await recorded();
    expect([await statusesOf(id), await addedTracksOf(db, [id])]).toEqual([{}, []]);
    const answer = await workspace.request("PATCH", `/v1/on-demand/${id}/moderation`, { moderation: { type: "av" } });
    expect(answer.status).toBe(200);
    const [track] = await addedTracksOf(db, [id]);
    await hear(id, track!.id, "a1");
    const [moderation] = await insightsOf(db, [id]);
    const pictures = await jobOf(id, `pictures.${moderation!.requestId}`, { renditions: [], video: "v720" });
    await pictures.complete({ kind: "pictures", pictures: [[0, 0.1]], engine: "nsfwjs", model: "m", judgeMs: 1 });
    await until(
      () => statusesOf(id),
      (statuses) => statuses["moderation"] === "available",
    );
  });
});

describe("a clip of a broadcast", () => {
  async function clipOf(stream: { streamId: string }) {
    const answer = await workspace.request("POST", at(stream, "/clips"), { startTime: 2, endTime: 6 });
    expect(answer.status).toBe(201);
    const { data } = await answer.json<{ data: { id: string } }>();
    await copy({ mediaId: data.id, from: 0, isOfOwner: true });
    return data.id;
  }
  async function copy(body: { mediaId: string; from: number; isOfOwner?: boolean }) {
    const message = { id: crypto.randomUUID(), timestamp: new Date(), attempts: 1, body };
    const batch = createMessageBatch("sluice-clips", [message]);
    await consumeClips(env, batch);
    expect((await getQueueResult(batch, createExecutionContext())).explicitAcks.length).toBe(1);
  }

  test("gets the same while its recording has none of it", async () => {
    await setDefaults({ subtitles: true, chapters: true });
    const { stream, end } = await onAir();
    const id = await clipOf(stream);
    const [row] = await insightsOf(db, [id]);
    expect([row?.kind, row?.order]).toEqual(["chapters", {}]);
    expect((await addedTracksOf(db, [id])).map(({ languageName }) => languageName)).toEqual(["Automatic"]);
    await end();
  });

  test("of a viewer gets none: viewers would spend the budget", async () => {
    await setDefaults({ subtitles: true, chapters: true });
    const { stream, id: sessionId } = await onAir({ allowViewerClips: true });
    const answer = await send(new Request(`http://sluice.test/${stream.playbackIds[0]!.id}.m3u8?start=2s&end=6s`));
    expect(answer.status).toBe(200);
    const [clip] = await db.select().from(assets).where(eq(assets.sourceAssetId, sessionId));
    await copy({ mediaId: clip!.id, from: 0 });
    expect([await statusesOf(clip!.id), await addedTracksOf(db, [clip!.id])]).toEqual([{}, []]);
  });

  test("takes over the chapters of its recording, and is not scored again", async () => {
    await setDefaults({ chapters: true, moderation: { type: "video" } });
    const { stream, id: recordingId } = await recorded();
    const result = { chapters: [{ startMs: 0, endMs: 6000, title: "Bees", summary: "" }] };
    const madeBy = { engine: "built-in", model: "", trackId: "", costUsd: 0, tookMs: 1 };
    const end = endedInsight({ status: "available", result, madeBy });
    await db.update(insights).set(end).where(eq(insights.kind, "chapters"));
    const id = await clipOf(stream);
    await until(
      () => statusesOf(id),
      (statuses) => statuses["chapters"] === "available",
    );
    const [row, ...others] = await insightsOf(db, [id]);
    expect([others, row?.madeBy?.engine, row?.result]).toEqual([
      [],
      "source",
      { chapters: [{ startMs: 0, endMs: 4000, title: "Bees", summary: "" }] },
    ]);
    expect(await statusesOf(recordingId)).toMatchObject({ moderation: "preparing" });
    expect(await addedTracksOf(db, [id])).toEqual([]);
  });
});
