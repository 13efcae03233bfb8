/** A media is verified when it is ready and has what the source had. */
import { env } from "cloudflare:test";
import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { SourceFailure } from "../../../src/imports/sources/source.ts";
import type { ListedCaption, ListedVideo } from "../../../src/imports/sources/source.ts";
import { reportOf } from "../../../src/imports/batch-machine/view.ts";
import { insights } from "../../../src/library/insights/store/tables.ts";
import { addedTracks } from "../../../src/library/tracks/store/tables.ts";
import { playbackIds } from "../../../src/tenancy/access/index.ts";
import { openDatabase } from "../../../src/platform/database.ts";
import { addRung } from "../playback/playable.ts";
import { newWorkspace, send } from "../workspace.ts";
import { type BatchBench, newBatch } from "./batch-bench.ts";
import { FakeSource, video } from "./fake-source.ts";

const db = openDatabase(env.DB);
const VTT = "WEBVTT\n\n00:00.000 --> 00:01.000\nHello\n";
const caption = (over: Partial<ListedCaption>): ListedCaption => ({
  languageCode: "en",
  name: null,
  url: null,
  text: null,
  ...over,
});
const tracksOf = (assetId: string | null) =>
  db
    .select()
    .from(addedTracks)
    .where(eq(addedTracks.assetId, assetId ?? ""));

interface Options {
  source?: (source: FakeSource) => void;
  self?: Fetcher;
}

/** A batch of one video, whose media is ready, but was not looked at since. */
async function withReadyMedia(given: Partial<ListedVideo>, { source: change = () => undefined, self }: Options = {}) {
  const source = new FakeSource([video("v", given)]);
  change(source);
  const batch = await newBatch({ workspace: await newWorkspace(), source, ...(self !== undefined && { self }) });
  await batch.until(({ counts }) => counts.submitted === 1);
  const { mediaId } = await batch.item("v");
  return { batch, source, mediaId: mediaId! };
}

const differencesOf = async (batch: BatchBench) => (await batch.item("v")).differences;

/** The write that ends an item. */
const isVerified = (statement: string, values: readonly unknown[]) =>
  statement.startsWith("UPDATE items") && values.includes("ready");

test("captions with an address are tracks that verification waits for", async () => {
  const captions = [
    caption({ url: "https://cdn.test/en.vtt", name: "English\u0000(CC)" }),
    caption({ url: "https://cdn.test/en2.vtt" }),
    caption({ url: "https://cdn.test/de.vtt", languageCode: "de" }),
  ];
  const { batch, mediaId } = await withReadyMedia({ captions });
  await batch.readyAll();
  await batch.until(() => batch.nowMs > Date.now() + 60_000);
  expect(await batch.item("v")).toMatchObject({ status: "submitted" });
  const tracks = await tracksOf(mediaId);
  expect(tracks.map(({ languageCode, languageName, title }) => [languageCode, languageName, title])).toEqual([
    ["en", "English", "English (CC)"],
    ["en", "English II", null],
    ["de", "German", null],
  ]);
  await db.update(addedTracks).set({ status: "available" }).where(eq(addedTracks.assetId, mediaId));
  expect(await batch.finish()).toMatchObject({ state: "done", counts: { ready: 1 } });
  expect(await differencesOf(batch)).toEqual([]);
});

test("captions that fail, and those that are never ready, are listed, and hold the batch up for ten minutes at most", async () => {
  const captions = ["en", "de"].map((languageCode) =>
    caption({ languageCode, url: `https://cdn.test/${languageCode}.vtt` }),
  );
  const { batch, mediaId } = await withReadyMedia({ captions });
  const [failed] = await tracksOf(mediaId);
  await db
    .update(addedTracks)
    .set({ status: "failed", errorMessage: "It is no text." })
    .where(eq(addedTracks.id, failed!.id));
  const readyAtMs = batch.nowMs;
  expect(await batch.finish()).toMatchObject({ state: "done", counts: { ready: 1 } });
  expect(batch.nowMs - readyAtMs).toBeGreaterThan(9 * 60_000);
  expect(batch.nowMs - readyAtMs).toBeLessThan(12 * 60_000);
  expect((await differencesOf(batch)).toSorted((a, b) => a.message.localeCompare(b.message))).toEqual([
    { field: "captions", message: "those in English failed: It is no text." },
    { field: "captions", message: "those in German were not ready ten minutes after the media" },
  ]);
});

test("captions that the source gives as text are tracks at once when the media is ready, also after a kill, each once", async () => {
  const { batch, source, mediaId } = await withReadyMedia(
    { captions: null },
    {
      source: (changed) =>
        changed.captionsOf.set("v", [
          caption({ text: VTT, name: "Ours" }),
          caption({ languageCode: "it", text: "no captions" }),
        ]),
    },
  );
  expect(source.countOf("captions")).toBe(1);
  await batch.readyAll();
  await batch.dieAt(isVerified);
  expect(await batch.finish()).toMatchObject({ state: "done", counts: { ready: 1 } });
  const tracks = await tracksOf(mediaId);
  expect(tracks).toMatchObject([{ languageCode: "en", title: "Ours", status: "available" }]);
  expect(await differencesOf(batch)).toEqual([
    { field: "captions", message: expect.stringMatching(/^those in Italian cannot be used \(/) },
  ]);
});

test("a source that does not give them while it asks for a pause is not asked, and after ten minutes it is said", async () => {
  const { batch, source } = await withReadyMedia(
    { captions: null },
    {
      source: (changed) => changed.captionsOf.set("v", [caption({ text: VTT })]),
    },
  );
  source.before = (method) => {
    if (method === "captions")
      throw new SourceFailure("source_unavailable", "The source does not answer.", { retryAfterMs: 1000 });
  };
  expect(await batch.finish()).toMatchObject({ state: "done", counts: { ready: 1 } });
  expect(await differencesOf(batch)).toEqual([{ field: "captions", message: "the source did not give them" }]);
});

test("sounds that the source counts with the file are compared, whether it prepares the file or not", async () => {
  for (const waits of [false, true]) {
    const source = new FakeSource([video("v")]);
    const { file } = source;
    source.file = (one, state) =>
      waits && state === null
        ? { status: "waiting", retryAfterMs: 1000, state: { isOrdered: true } }
        : { ...file(one, state), audioTracks: 3 };
    const batch = await newBatch({ workspace: await newWorkspace(), source });
    expect(await batch.finish()).toMatchObject({ state: "done", counts: { ready: 1 } });
    expect(await differencesOf(batch)).toEqual([
      { field: "audioTracks", message: expect.stringMatching(/^the source's file has \d of 3 sounds$/) },
    ]);
  }
});

test("settings without captions ask for none", async () => {
  const source = new FakeSource([video("v", { captions: null })]);
  const batch = await newBatch({ workspace: await newWorkspace(), source, settings: { captions: false } });
  await batch.finish();
  expect(source.countOf("captions")).toBe(0);
});

test("chapters are kept, once", async () => {
  const chapters = [
    { startMs: 0, title: "First" },
    { startMs: 20_000, title: "Second" },
  ];
  const { batch, mediaId } = await withReadyMedia({ chapters, durationMs: 60_000 });
  await batch.readyAll({ durationMs: 60_000 });
  await batch.dieAt(isVerified);
  await batch.finish();
  const rows = await db.select().from(insights).where(eq(insights.assetId, mediaId));
  expect(rows).toMatchObject([
    { kind: "chapters", status: "available", result: { chapters: [{ title: "First" }, { title: "Second" }] } },
  ]);
});

test("chapters that a media here does not have are said, in the dry run and of the media", async () => {
  const chapters = [
    { startMs: 0, title: "t".repeat(61) },
    { startMs: 20_000, title: "Second" },
    { startMs: 25_000, title: "Of a few seconds" },
  ];
  const { batch } = await withReadyMedia({ chapters, durationMs: 60_000 });
  await batch.finish({ durationMs: 60_000 });
  const messages = [
    "those shorter than ten seconds are joined with others, and only a hundred before the end are kept",
    "their titles are cut to 60 characters",
  ];
  expect(await differencesOf(batch)).toEqual(messages.map((message) => ({ field: "chapters", message })));
  const { totals } = await batch.inside(reportOf);
  expect(totals.losses).toEqual(Object.fromEntries(messages.map((message) => [`chapters: ${message}`, 1])));
});

test.each([
  ["as long as the source said", { durationMs: 5499 }, []],
  ["longer by 0.6 s", { durationMs: 5600 }, ["it differs from the source's by 0.5 to 5 s"]],
  ["shorter by half", { durationMs: 10_000 - 7000 }, ["it differs from the source's by 0.5 to 5 s"]],
  ["far longer", { durationMs: 60_000 }, ["it differs from the source's by more than 5 s"]],
])("a media that is %s", async (_, columns, words) => {
  const { batch } = await withReadyMedia({});
  await batch.finish(columns);
  expect((await differencesOf(batch)).map(({ field, message }) => [field, message])).toEqual(
    words.map((message) => ["duration", message]),
  );
});

test("a smaller picture and missing sounds are listed", async () => {
  const { batch } = await withReadyMedia({ heightPx: 1080, audioTracks: 2 });
  await batch.finish();
  expect(await differencesOf(batch)).toEqual([
    { field: "dimensions", message: "the source's file has 360 lines, and its list says 1080" },
    { field: "audioTracks", message: "the source's file has 0 of 2 sounds" },
  ]);
});

/** The Worker, as players reach it. */
const worker = {
  fetch: (url: string, init?: RequestInit) => send(new Request(url, init)),
} as unknown as Fetcher;

test.each<[string, Partial<ListedVideo>]>([
  ["public", {}],
  ["private", { policy: "private" }],
  ["public one of some domains", { origins: ["example.com"] }],
])("a media, %s, is played to its last segment", async (_, given) => {
  const asked: string[] = [];
  const self = {
    fetch: async (url: string, init: RequestInit) => {
      const answer = await worker.fetch(url, init);
      asked.push(`${new URL(url).pathname.split("/").slice(2).join("/")} ${answer.status}`);
      return answer;
    },
  } as unknown as Fetcher;
  const { batch, mediaId } = await withReadyMedia(given, { self });
  await addRung(mediaId);
  expect(await batch.finish()).toMatchObject({ state: "done", counts: { ready: 1 } });
  expect(await differencesOf(batch)).toEqual([]);
  expect(asked.map((line) => line.split(" ")[1])).toEqual(["200", "200", "200", "200"]);
  expect(asked.at(-1)).toContain("1.m4s");
});

test("domains that were added to those of the source meanwhile are listed, and fewer are not", async () => {
  const rules = (allow: string[]) => ({
    domains: { defaultPolicy: "deny" as const, allow, deny: [] },
    userAgents: { defaultPolicy: "allow" as const, allow: [], deny: [] },
  });
  const wider = [
    { field: "accessPolicy", message: "pages of further domains were allowed to show it in the meantime" },
  ];
  for (const [accessRestrictions, differences] of [
    [null, wider],
    [rules(["example.com", "example.org"]), wider],
    [rules(["example.com"]), []],
  ] as const) {
    const { batch, mediaId } = await withReadyMedia({ origins: ["example.com", "*.example.com"] });
    await db.update(playbackIds).set({ accessRestrictions }).where(eq(playbackIds.targetId, mediaId));
    await batch.finish();
    expect(await differencesOf(batch)).toEqual(differences);
  }
});

test("a media that does not play is waited for, and then listed with the answer", async () => {
  const { batch } = await withReadyMedia({}, { self: worker });
  const readyAtMs = batch.nowMs;
  expect(await batch.finish()).toMatchObject({ state: "done", counts: { ready: 1 } });
  expect(batch.nowMs - readyAtMs).toBeGreaterThan(9 * 60_000);
  expect(await differencesOf(batch)).toMatchObject([{ field: "playback" }]);
});

test("a media that its owner deletes meanwhile fails its item", async () => {
  const workspace = await newWorkspace();
  const batch = await newBatch({ workspace, source: new FakeSource([video("v")]) });
  await batch.until(({ counts }) => counts.submitted === 1);
  await workspace.request("DELETE", `/v1/on-demand/${(await batch.item("v")).mediaId}`);
  expect(await batch.until()).toMatchObject({ state: "done", counts: { failed: 1 } });
  expect(await batch.item("v")).toMatchObject({ error: { code: "media_deleted" } });
});
