/** What a workspace has made of every new media, in clips: they take over what their media has. */
import { env } from "cloudflare:test";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  endedInsight,
  type Insight,
  insightsOf,
  newInsight,
} from "../../../../src/library/insights/store/repository.ts";
import { insights } from "../../../../src/library/insights/store/tables.ts";
import { addCaptionTrack } from "../../../../src/library/tracks/add-caption-track.ts";
import { addedTracksOf } from "../../../../src/library/tracks/store/repository.ts";
import { openDatabase } from "../../../../src/platform/database.ts";
import { newWorkspace, type TestWorkspace } from "../../workspace.ts";
import { newClip, readyFilm, until } from "../clips/clip-helpers.ts";

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

const CHAPTERS = [
  { startMs: 0, endMs: 14_000, title: "Bees", summary: "Of bees." },
  { startMs: 14_000, endMs: 40_000, title: "Bread", summary: "Of bread." },
];
const AVAILABLE = endedInsight({
  status: "available",
  result: { chapters: CHAPTERS },
  madeBy: { engine: "built-in", model: "", trackId: "", costUsd: 0, tookMs: 1 },
});

/** A film of 40 s with subtitles. @param rows its results of AI */
async function newFilm(...rows: (Pick<Insight, "kind"> & Partial<Insight>)[]): Promise<string> {
  const { assetId } = await readyFilm(workspace, 10);
  const cues = [{ text: "Bees and bread.", startMs: 9000, endMs: 15_000, settings: "" }];
  const labels = { languageCode: "en", languageName: "English" };
  await addCaptionTrack(env, { assetId, trackId: crypto.randomUUID() }, labels, { cues, skipped: 0 }, new Date());
  for (const { kind, order = {}, ...more } of rows) {
    const key = { assetId, workspaceId: workspace.id };
    await db.insert(insights).values({ ...newInsight({ kind, order }, key, new Date()), ...more });
  }
  return assetId;
}

const RANGE = { startTime: 4, endTime: 36 };
const rowsOf = async (assetId: string) =>
  (await insightsOf(db, [assetId])).map(({ kind, status, madeBy }) => [kind, status, madeBy?.engine]);
const chaptersOf = async (assetId: string) => {
  const [row] = await insightsOf(db, [assetId]);
  const { chapters } = row!.result as { chapters: { startMs: number; endMs: number; title: string }[] };
  return chapters.map(({ startMs, endMs, title }) => [startMs, endMs, title]);
};
const CUT = [
  [0, 10_000, "Bees"],
  [10_000, 32_000, "Bread"],
];

describe("chapters of every new media", () => {
  beforeEach(() => setDefaults({ chapters: true }));

  test("are in a clip those of its media, and nothing is heard again", async () => {
    const film = await newFilm({ kind: "chapters", ...AVAILABLE });
    const clip = await newClip(workspace, film, RANGE);
    await until(workspace, clip.assetId, "Ready");
    expect(await rowsOf(clip.assetId)).toEqual([["chapters", "available", "source"]]);
    expect(await chaptersOf(clip.assetId)).toEqual(CUT);
    const tracks = await addedTracksOf(db, [clip.assetId]);
    expect(tracks.map(({ languageName, generated }) => [languageName, generated])).toEqual([["English", null]]);
  });

  test("are taken over later, if those of the media are still made", async () => {
    const film = await newFilm({ kind: "chapters" });
    const clip = await newClip(workspace, film, RANGE);
    await until(workspace, clip.assetId, "Ready");
    expect(await insightsOf(db, [clip.assetId])).toMatchObject([{ status: "preparing", order: { takesOver: true } }]);
  });

  test("are made of a clip whose media has none, and where they are asked for", async () => {
    const plain = await newClip(workspace, await newFilm(), RANGE);
    const failed = await newClip(workspace, await newFilm({ kind: "chapters", status: "failed" }), RANGE);
    const asked = await newClip(workspace, await newFilm({ kind: "chapters", ...AVAILABLE }), RANGE, {
      chapters: true,
    });
    for (const { assetId } of [plain, failed, asked]) {
      const [row] = await insightsOf(db, [assetId]);
      expect(row?.order).toEqual({});
    }
  });
});

test("summary and names are made of a clip itself, of the subtitles that it takes over", async () => {
  await setDefaults({ subtitles: true, summary: true, namedEntities: true });
  const clip = await newClip(workspace, await newFilm({ kind: "summary" }, { kind: "namedEntities" }), RANGE);
  await until(workspace, clip.assetId, "Ready");
  expect((await insightsOf(db, [clip.assetId])).map(({ kind, order }) => [kind, order])).toEqual([
    ["namedEntities", {}],
    ["summary", { summaryWords: 100 }],
  ]);
  expect((await addedTracksOf(db, [clip.assetId])).map(({ languageName }) => languageName)).toEqual(["English"]);
});

describe("moderation of every new media", () => {
  const orderOf = (type: "audio" | "video" | "av", action: "none" | "block") => ({ type, action, threshold: 0.5 });

  test.each([
    ["of the same", orderOf("video", "none"), true],
    ["of more", orderOf("av", "block"), true],
    ["of something else", orderOf("audio", "none"), false],
  ])("leaves out a clip whose media has scores %s", async (_, order, isLeftOut) => {
    await setDefaults({ moderation: { type: "video" } });
    const film = await newFilm({ kind: "moderation", order });
    const clip = await newClip(workspace, film, RANGE);
    expect((await insightsOf(db, [clip.assetId])).length).toBe(isLeftOut ? 0 : 1);
  });

  test("scores a clip that is to be held, if its media was not", async () => {
    await setDefaults({ moderation: { type: "video", action: "block" } });
    const clip = await newClip(workspace, await newFilm({ kind: "moderation", order: orderOf("av", "none") }), RANGE);
    expect(await insightsOf(db, [clip.assetId])).toMatchObject([{ order: { action: "block" } }]);
  });

  test("that is asked for is made, whatever the media has", async () => {
    const film = await newFilm({ kind: "moderation", order: orderOf("av", "block") });
    const clip = await newClip(workspace, film, RANGE, { moderation: { type: "audio" } });
    expect(await insightsOf(db, [clip.assetId])).toMatchObject([{ order: { type: "audio" } }]);
  });
});
