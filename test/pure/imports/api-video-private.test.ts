import { afterEach, beforeEach, expect, test } from "vitest";
import { apiVideoSource } from "../../../src/imports/sources/api-video.ts";
import {
  API_VIDEO_KEY,
  API_VIDEO_PROJECT,
  API_VIDEO_SECOND_KEY,
  startApiVideoStandIn,
  type ApiVideoStandIn,
} from "../../support/imports/api-video-stand-in.ts";
import { plainHttp } from "../../support/imports/plain-http.ts";
import { CLIP, failureOf, firstListed, listAll, PAGE_SIZE, resolved } from "./suite-kit.ts";

let nowMs = Date.parse("2026-11-20T12:00:00Z");
let standIn: ApiVideoStandIn;
beforeEach(async () => {
  standIn = await startApiVideoStandIn({ nowMs: () => nowMs, pageSize: PAGE_SIZE });
});
afterEach(() => standIn.close());

const open = (apiKey = API_VIDEO_KEY) =>
  apiVideoSource.open(
    { options: { sandbox: false }, credentials: { apiKey }, nowMs: () => nowMs },
    plainHttp(standIn.url),
  );

test("the address of a private video works once, and that of its session as often as wanted", async () => {
  const [id = ""] = standIn.addMany(1, CLIP, () => ({ policy: "private" }));
  const headers = { authorization: `Basic ${btoa(`${API_VIDEO_KEY}:`)}` };
  const answer: unknown = await (await fetch(`${standIn.url}/videos/${id}`, { headers })).json();
  const shown = answer as { assets: { mp4: string } };
  const range = { headers: { range: "bytes=0-9" } };
  expect((await fetch(shown.assets.mp4, range)).status).toBe(206);
  expect((await fetch(shown.assets.mp4, range)).status).toBe(403);

  const { resolution } = await resolved(open(), await firstListed(open()));
  for (let time = 0; time < 3; time++) expect((await fetch(resolution.url, range)).status).toBe(206);
  expect(resolution.expiresAtMs).toBe(nowMs + 23 * 3_600_000);
  const another = await resolved(open(), await firstListed(open()));
  expect(another.resolution.url).not.toBe(resolution.url);
});

test("captions of a private video are read, those of a public one addressed", async () => {
  const text = "WEBVTT\n\n00:00.000 --> 00:02.000\nHello\n";
  const captions = ["en", "fr", "de"].map((languageCode) => ({ languageCode, name: languageCode, text }));
  standIn.addMany(1, CLIP, () => ({ policy: "private", captions }));
  const found = await open().captions(await firstListed(open()));
  expect(found.map((caption) => ({ ...caption, name: null }))).toEqual(
    ["en", "fr", "de"].map((languageCode) => ({ languageCode, name: null, url: null, text })),
  );
});

test("chapters in the video's language, and the others as left", async () => {
  const chapters = {
    de: "WEBVTT\n\n1\n00:00.000 --> 00:30.000\nAnfang\n",
    en: "WEBVTT\n\n1\n00:00.000 --> 00:30.000\nStart &amp; end\n\n2\n00:30.000 --> 01:00.000\nMore\n",
  };
  const [id = ""] = standIn.addMany(1, CLIP, () => ({ policy: "private", own: { chapters, language: "en" } }));
  const video = await open().describe(id);
  expect(video?.chapters).toEqual([
    { startMs: 0, title: "Start & end" },
    { startMs: 30_000, title: "More" },
  ]);
  expect(video?.left).toContain("chapters in de");
});

test("a file of chapters that cannot be read costs only the chapters", async () => {
  const [id = ""] = standIn.addMany(1, CLIP, () => ({ own: { chapters: { en: "no WebVTT" } } }));
  expect(await open().describe(id)).toMatchObject({ id, chapters: [] });
});

test("what the owner gave a video, and what is left of it", async () => {
  const own = {
    description: "About it",
    tags: ["first", "second one"],
    metadata: [
      { key: "course", value: "Physics" },
      { key: "language", value: "owner's" },
    ],
    language: "fr",
    panoramic: true,
    playerId: "pt1",
  };
  const [id = ""] = standIn.addMany(1, CLIP, () => ({ own }));
  const video = await firstListed(open());
  expect(video).toMatchObject({
    tags: own.tags,
    metadata: { description: "About it", course: "Physics", language: "owner's" },
    playbackIds: [{ id, policy: "public" }],
    durationMs: null,
  });
  expect(video.left).toEqual([expect.stringContaining("panoramic"), expect.stringContaining("player")]);
  expect(await open().describe(id)).toMatchObject({
    durationMs: CLIP.durationMs,
    widthPx: 640,
    heightPx: 360,
    audioTracks: 1,
  });
});

test("without MP4 there is no file, and the owner reads how to get one", async () => {
  standIn.addMany(1, CLIP, () => ({ own: { mp4Support: false } }));
  const video = await firstListed(open());
  expect(video.obstacle).toEqual({ code: "no_file", message: expect.stringContaining("mp4Support") });
  expect((await failureOf(open().resolve(video, null))).code).toBe("no_file");
});

test.for([
  ["preparing", "video_not_ready"],
  ["errored", "no_file"],
] as const)("a video that is %s", async ([state, code]) => {
  const [id = ""] = standIn.addMany(1, CLIP, () => ({ state }));
  expect((await open().describe(id))?.obstacle?.code).toBe(code);
});

test("where nothing says whether videos are public, nothing is read: none becomes public by that", async () => {
  standIn.addMany(1, CLIP, () => ({ policy: "private" }));
  const video = await firstListed(open());
  standIn.plant({ kind: "rename", from: "public", to: "visibility" });
  const source = open();
  const calls = [() => listAll(source), () => source.describe(video.id), () => source.resolve(video, null)];
  for (const call of calls) {
    const failure = await failureOf(call());
    expect(failure.code).toBe("source_unreadable");
    expect(failure.message).toContain("public");
  }
});

test("a discarded video counts as gone", async () => {
  standIn.addMany(1, CLIP, () => ({ own: { discarded: true } }));
  const video = await firstListed(open());
  expect(video.obstacle?.code).toBe("video_gone");
  expect((await failureOf(open().resolve(video, null))).code).toBe("video_gone");
});

test("one access token serves an opened source for most of its hour", async () => {
  standIn.addMany(3 * PAGE_SIZE, CLIP);
  const source = open();
  await listAll(source);
  await source.check();
  expect(standIn.tokens()).toBe(1);
  nowMs += 56 * 60_000;
  await listAll(source);
  expect(standIn.tokens()).toBe(2);
});

test("all keys of a project are one account", async () => {
  const account = (await open().check()).account;
  expect(account).toBe(API_VIDEO_PROJECT);
  expect((await open(API_VIDEO_SECOND_KEY).check()).account).toBe(account);
});

test("where a token does not name its project, the account is a print of the key", async () => {
  await standIn.close();
  standIn = await startApiVideoStandIn({ namesProject: false, nowMs: () => nowMs });
  const { account } = await open().check();
  expect(account).toMatch(/^key-[0-9a-f]{32}$/);
  expect(account).not.toContain(API_VIDEO_KEY);
});
