/** Summaries, chapters and names of a media by the built-in engine: requests, the record, events, and what the machine of the asset makes of it. */
import { env } from "cloudflare:test";
import { beforeAll, describe, expect, test } from "vitest";
import { assetMachine } from "../../../../src/library/assets/asset-calls.ts";
import { removeInsight } from "../../../../src/library/insights/request-insight.ts";
import { tracks } from "../../../../src/library/assets/tables.ts";
import { insights } from "../../../../src/library/insights/store/tables.ts";
import { addCaptionTrack } from "../../../../src/library/tracks/add-caption-track.ts";
import { openDatabase } from "../../../../src/platform/database.ts";
import { eventBytes, events } from "../../../../src/events/index.ts";
import { and, eq } from "drizzle-orm";
import { newWorkspace, type TestWorkspace } from "../../workspace.ts";
import { eventsOf, until } from "../../events/webhooks/webhook-rows.ts";
import { newAsset } from "../../playback/playable.ts";
import { talkOf } from "../../../support/talks.ts";

let workspace: TestWorkspace;
beforeAll(async () => {
  await import("compromise"); // the pool does not load modules within an object
  workspace = await newWorkspace();
});

interface Shown {
  status: string;
  data?: unknown;
  result?: { engine: string; trackId: string };
  error?: { code: string };
}
interface Media {
  summary?: Shown;
  chapters?: Shown;
  namedEntities?: Shown;
  tracks: { id: string; type: string; languageName?: string; status: string }[];
}

const TALK = talkOf(["bees", "bridges", "bread"]);

/** A ready media with the captions of a talk, unless `text` is null. */
async function newTalk(
  text: { text: string; startMs: number; endMs: number }[] | null = TALK.sentences,
  languageCode = "en",
) {
  const { assetId, playbackId } = await newAsset({
    workspaceId: workspace.id,
    status: "ready",
    stage: "done",
    durationMs: TALK.durationMs,
  });
  const trackId = crypto.randomUUID();
  const cues = (text ?? []).map((cue) => ({ ...cue, settings: "" }));
  const labels = { languageCode, languageName: "Talk" };
  if (text !== null) await addCaptionTrack(env, { assetId, trackId }, labels, { cues, skipped: 0 }, new Date());
  const path = `/v1/on-demand/${assetId}`;
  const read = async () => (await (await workspace.request("GET", path)).json<{ data: Media }>()).data;
  const ask = (name: string, body: object) => workspace.request("PATCH", `${path}/${name}`, body);
  const ended = async (name: "summary" | "chapters" | "namedEntities") =>
    (await until(
      async () => (await read())[name],
      (shown) => shown !== undefined && shown.status !== "preparing",
    ))!;
  return { assetId, playbackId, trackId, path, read, ask, ended };
}

const messageOf = async (answer: Response) => (await answer.json<{ error: { message: string } }>()).error.message;

async function dataOfEvent(assetId: string, videoType: string): Promise<unknown> {
  const [event] = await openDatabase(env.DB)
    .select()
    .from(events)
    .where(and(eq(events.objectId, assetId), eq(events.videoType, videoType)));
  return (JSON.parse(new TextDecoder().decode(eventBytes(event!, "video"))) as { data: unknown }).data;
}

test("a summary is asked for, made of the subtitles, read, and announced", async () => {
  const { assetId, trackId, path, read, ask, ended } = await newTalk();
  const before = await workspace.request("GET", `${path}/summary`);
  expect([before.status, await messageOf(before)]).toEqual([400, "Summary not enabled"]);
  const answer = await ask("summary", { generate: true, summaryLength: 60 });
  expect([answer.status, await answer.json()]).toEqual([
    200,
    { success: true, data: { mediaId: assetId, isSummaryEnabled: true } },
  ]);
  expect((await read()).summary?.status).toMatch(/preparing|available/);
  const summary = await ended("summary");
  expect(summary).toMatchObject({ status: "available", result: { engine: "built-in", trackId } });
  const text = summary.data as string;
  expect(text.split(" ").length).toBeLessThanOrEqual(60);
  expect(await (await workspace.request("GET", `${path}/summary`)).json()).toEqual({ success: true, data: text });
  expect(await dataOfEvent(assetId, "video.mediaAI.summary.ready")).toEqual({
    isSummaryGenerated: true,
    summary: text,
  });
});

test("chapters are made, with the record's and the event's shape", async () => {
  const { assetId, ask, ended } = await newTalk();
  expect((await ask("chapters", { chapters: true })).status).toBe(200);
  const { data } = await ended("chapters");
  const { chapters } = data as { chapters: object[] };
  expect(chapters).toHaveLength(3);
  expect(chapters[0]).toEqual({
    chapter: "1",
    startTime: "00:00:00",
    endTime: "00:00:31",
    title: expect.any(String),
    summary: expect.any(String),
  });
  expect(await dataOfEvent(assetId, "video.mediaAI.chapters.ready")).toEqual({ isChaptersGenerated: true, chapters });
});

test("names have times in the record, and none in the event", async () => {
  const sentences = [{ text: "Ada Lovelace lived in London.", startMs: 2000, endMs: 4000 }];
  const { assetId, ask, ended } = await newTalk(sentences);
  await ask("named-entities", { namedEntities: true });
  const { data } = await ended("namedEntities");
  const { namedEntities } = data as { namedEntities: object[] };
  expect(namedEntities).toEqual(
    expect.arrayContaining([
      { name: "Ada Lovelace", category: "person", count: 1, timesMs: [2000] },
      { name: "London", category: "location", count: 1, timesMs: [2000] },
    ]),
  );
  expect(await dataOfEvent(assetId, "video.mediaAI.namedEntities.ready")).toEqual({
    isNamedEntitiesGenerated: true,
    namedEntities: (namedEntities as { name: string; category: string; count: number }[]).map(
      ({ name, category, count }) => ({ name, category, count }),
    ),
  });
});

describe("a second request", () => {
  test("is refused while there is a result, of two at once one wins, and `replace` makes it again", async () => {
    const { assetId, ask, ended } = await newTalk();
    const answers = await Promise.all([ask("chapters", { chapters: true }), ask("chapters", { chapters: true })]);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 400]));
    expect(await messageOf(answers.find(({ status }) => status === 400)!)).toContain("already exist");
    await ended("chapters");
    const refused = await ask("chapters", { chapters: true });
    expect([refused.status, await refused.json()]).toMatchObject([
      400,
      { error: { description: 'there are chapters already: send `"replace": true` to make them again' } },
    ]);
    expect((await ask("chapters", { chapters: true, replace: true })).status).toBe(200);
    await ended("chapters");
    const ready = (await eventsOf(assetId)).filter(({ videoType }) => videoType === "video.mediaAI.chapters.ready");
    expect(ready).toHaveLength(2);
  });

  test("to the machine changes nothing, and a result of an earlier request neither", async () => {
    const { assetId, ask, ended, read } = await newTalk();
    await ask("summary", { generate: true });
    const first = await ended("summary");
    const [row] = await openDatabase(env.DB).select().from(insights).where(eq(insights.assetId, assetId));
    const { kind, workspaceId, order } = row!;
    const machine = assetMachine(env, assetId);
    for (const requestId of [row!.requestId, crypto.randomUUID()])
      await machine.takeInsight({ assetId, kind, workspaceId, requestId, order: { ...order, summaryWords: 30 } });
    await until(
      async () => (await eventsOf(assetId)).length,
      (count) => count > 0,
    );
    expect((await read()).summary).toEqual(first);
  });
});

test("what was asked for can be removed, and is 400 again", async () => {
  const { path, ask, ended, read } = await newTalk();
  await ask("summary", { generate: true });
  await ended("summary");
  const answer = await ask("summary", { generate: false });
  expect(await answer.json()).toMatchObject({ data: { isSummaryEnabled: false } });
  expect((await read()).summary).toBeUndefined();
  expect((await workspace.request("GET", `${path}/summary`)).status).toBe(400);
  expect((await ask("summary", { generate: false })).status).toBe(200);
});

test("the machine hears which request was removed, since it may hear of the next one first", async () => {
  const { assetId, ask, ended } = await newTalk();
  await ask("chapters", { chapters: true });
  await ended("chapters");
  const [row] = await openDatabase(env.DB).select().from(insights).where(eq(insights.assetId, assetId));
  const calls: [url: string, body: unknown][] = [];
  const stub = {
    fetch: (url: string, { body }: { body: string }) => {
      calls.push([url, JSON.parse(body)]);
      return Promise.resolve(new Response(null, { status: 204 }));
    },
  };
  const ASSET_MACHINE = { idFromName: () => null, get: () => stub } as unknown as typeof env.ASSET_MACHINE;
  const work: Promise<unknown>[] = [];
  const after = (one: Promise<unknown>) => void work.push(one);
  const key = { workspaceId: workspace.id, assetId };
  await removeInsight({ ...env, ASSET_MACHINE }, key, "chapters", { now: new Date(), after });
  await Promise.all(work);
  expect(calls).toEqual([[expect.stringMatching(/dropInsight$/), ["chapters", row!.requestId]]]);
});

describe("without a text", () => {
  test("subtitles are made first, and why they cannot be is why the result cannot be", async () => {
    const { assetId, ask, ended, read } = await newTalk(null);
    await openDatabase(env.DB).insert(tracks).values({ id: crypto.randomUUID(), assetId, position: 1, kind: "audio" });
    const made = async () => (await read()).tracks.filter(({ type }) => type === "subtitle");
    await ask("summary", { generate: true });
    const [first, ...others] = await made();
    expect([first, others]).toMatchObject([{ languageName: "Automatic" }, []]);
    expect(await ended("summary")).toMatchObject({ status: "failed", error: { code: "source_no_streams" } });
    expect((await ask("summary", { generate: true })).status).toBe(200); // after a failure it may be asked for again
    // The next subtitles take the place of those that could not be made.
    const [second, ...more] = await made();
    expect([second?.id === first!.id, more]).toEqual([false, []]);
    expect((await eventsOf(assetId)).map(({ type }) => type)).toContain("video.media.track.deleted");
  });

  test("of a media without sound no subtitles are tried", async () => {
    const { ask, ended, read } = await newTalk(null);
    await ask("summary", { generate: true });
    expect(await ended("summary")).toMatchObject({ status: "failed", error: { code: "no_transcript" } });
    expect((await read()).tracks.map(({ type }) => type)).toEqual(["video"]);
  });

  test("of one word, the word is the summary", async () => {
    const { ask, ended } = await newTalk([{ text: "Hello.", startMs: 0, endMs: 1000 }]);
    await ask("summary", { generate: true });
    expect(await ended("summary")).toMatchObject({ status: "available", data: "Hello." });
  });

  test("in English, the built-in engine finds no names", async () => {
    const { ask, ended } = await newTalk([{ text: "Berta wohnt in Bonn.", startMs: 0, endMs: 1000 }], "de");
    await ask("named-entities", { namedEntities: true });
    expect(await ended("namedEntities")).toMatchObject({ status: "failed", error: { code: "ai_language_unknown" } });
  });
});

test.each([
  ["summary", { generate: true, summaryLength: 29 }],
  ["summary", { generate: true, summaryLength: 251 }],
  ["summary", {}],
  ["chapters", { chapters: "yes" }],
  ["named-entities", { namedEntities: null }],
])("PATCH %s with %j is 422", async (name, body) => {
  const { ask } = await newTalk(null);
  expect((await ask(name, body)).status).toBe(422);
});

test("another workspace's media, and an unknown one, are not found", async () => {
  const { path } = await newTalk();
  const other = await newWorkspace();
  for (const [name, body] of [
    ["summary", { generate: true }],
    ["summary", { generate: false }],
    ["chapters", { chapters: true }],
  ] as const)
    expect((await other.request("PATCH", `${path}/${name}`, body)).status).toBe(404);
  expect((await other.request("GET", `${path}/summary`)).status).toBe(404);
});

describe("a creation", () => {
  test.each([
    ["/v1/on-demand", (more: object) => ({ inputs: [{ type: "video", url: "https://cdn.test/a.mp4" }], ...more })],
    ["/v1/on-demand/upload", (more: object) => ({ corsOrigin: "*", pushMediaSettings: more })],
  ])("by %s shows what it has asked for, and asks for subtitles", async (path, bodyOf) => {
    const body = bodyOf({
      summary: { generate: true, summaryLength: 40 },
      generateChapters: true,
      namedEntities: true,
    });
    const answer = await workspace.request("POST", path, body);
    expect(answer.status).toBe(201);
    const { data } = await answer.json<{ data: { id: string } }>();
    const media = (await (await workspace.request("GET", `/v1/on-demand/${data.id}`)).json<{ data: Media }>()).data;
    for (const name of ["summary", "chapters", "namedEntities"] as const)
      expect(media[name]?.status).toMatch(/preparing|failed/); // the source does not exist
    expect(media.tracks).toMatchObject([{ type: "subtitle", languageName: "Automatic" }]);
  });

  test.each([[{ summary: { generate: false } }], [{ chapters: false, namedEntities: false }], [{ summary: {} }]])(
    "with %j asks for nothing",
    async (more) => {
      const answer = await workspace.request("POST", "/v1/on-demand", {
        inputs: [{ type: "video", url: "https://cdn.test/a.mp4" }],
        ...more,
      });
      expect(answer.status).toBe(201);
      const { data } = await answer.json<{ data: { id: string } }>();
      const media = (await (await workspace.request("GET", `/v1/on-demand/${data.id}`)).json<{ data: Media }>()).data;
      expect([media.summary, media.chapters, media.tracks]).toEqual([undefined, undefined, []]);
    },
  );
});
