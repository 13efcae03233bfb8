/** Clips that cannot be made: refused, or errored with a reason. */
import { env } from "cloudflare:test";
import { eq } from "drizzle-orm";
import { beforeAll, expect, test } from "vitest";
import { assetMachine } from "../../../../src/library/assets/asset-calls.ts";
import { assets } from "../../../../src/library/assets/tables.ts";
import { sharedMedia } from "../../../../src/library/clips/tables.ts";
import { CLIPS_PER_MINUTE } from "../../../../src/library/clips/shared-media.ts";
import { openDatabase } from "../../../../src/platform/database.ts";
import { newAsset } from "../../playback/playable.ts";
import { type ErrorBody, type MediaAnswer, newWorkspace, type TestWorkspace } from "../../workspace.ts";
import { clipBody, mediaOf, newClip, readyFilm, remove, until } from "./clip-helpers.ts";

let workspace: TestWorkspace;
let film: { assetId: string };
beforeAll(async () => {
  workspace = await newWorkspace();
  film = await readyFilm(workspace);
});
const db = openDatabase(env.DB);

async function refusal(body: object, by = workspace) {
  const answer = await by.request("POST", "/v1/on-demand", body);
  const { error } = await answer.json<ErrorBody>();
  const { fields = [] } = error;
  return { status: answer.status, text: JSON.stringify(error), fields: fields.map(({ field }) => field) };
}

test("another workspace's media, a deleted one and an id that never existed are refused alike", async () => {
  const stranger = await newWorkspace();
  const gone = await readyFilm(workspace);
  await remove(workspace, gone.assetId);
  const never = await refusal(clipBody(crypto.randomUUID()), stranger);
  expect(never).toMatchObject({ status: 422, fields: ["inputs[0].url"] });
  expect(await refusal(clipBody(film.assetId), stranger)).toEqual(never);
  expect(await refusal(clipBody(gone.assetId))).toEqual(never);
  expect(await refusal(clipBody("not-an-id"))).toEqual(never);
});

test("a media that is still processed and one that has failed are refused, each with its reason", async () => {
  const of = { workspaceId: workspace.id };
  const processing = await newAsset({ ...of, status: "processing" });
  const failed = await newAsset({ ...of, status: "errored", stage: "done", errorCode: "source_empty" });
  const whileProcessed = await refusal(clipBody(processing.assetId));
  expect(whileProcessed).toMatchObject({ status: 422, fields: ["inputs[0].url"] });
  expect(whileProcessed.text).toContain("still processed");
  expect((await refusal(clipBody(failed.assetId))).text).toContain("has failed");
});

test("times outside of the media, or in the wrong order, are refused", async () => {
  const field = async (times: object) => (await refusal(clipBody(film.assetId, times))).fields;
  expect(await field({ startTime: 20 })).toEqual(["inputs[0].startTime"]);
  expect(await field({ startTime: 1, endTime: 21 })).toEqual(["inputs[0].endTime"]);
  expect(await field({ startTime: 5, endTime: 5 })).toEqual(["inputs[0].endTime"]);
  expect(await field({ startTime: 5, endTime: 4 })).toEqual(["inputs[0].endTime"]);
  expect(await field({ startTime: -1 })).toEqual(["inputs[0].startTime"]);
});

test("an end less than a second behind the media is the media's end", async () => {
  const clip = await newClip(workspace, film.assetId, { startTime: 16, endTime: 20.9 });
  await until(workspace, clip.assetId, "Ready");
  expect(await mediaOf(workspace, clip.assetId)).toMatchObject({ duration: "00:00:04" });
});

test("a clip is the only input, has no edits and no original file", async () => {
  const [input] = clipBody(film.assetId).inputs;
  const other = { type: "video", url: "https://cdn.test/a.mp4" };
  expect((await refusal({ inputs: [input, other] })).fields).toEqual(["inputs[0]"]);
  expect((await refusal({ inputs: [other, input] })).fields).toEqual(["inputs[1]"]);
  expect((await refusal({ inputs: [{ ...input, introUrl: "https://cdn.test/a.mp4" }] })).fields).toEqual(["inputs[0]"]);
  expect((await refusal(clipBody(film.assetId, {}, { sourceAccess: true }))).fields).toEqual(["sourceAccess"]);
});

test("a clip without a frame between its times is errored", async () => {
  const clip = await newClip(workspace, film.assetId, { startTime: 1.001, endTime: 1.02 });
  await until(workspace, clip.assetId, "Failed");
  expect(await mediaOf(workspace, clip.assetId)).toMatchObject({ error: { code: "clip_empty", fault: "source" } });
});

test("a clip whose media was deleted before its bytes were kept is errored", async () => {
  const own = await readyFilm(workspace);
  const clip = await newAsset({
    workspaceId: workspace.id,
    stage: "created",
    sourceUrl: `fp_mediaId://${own.assetId}`,
    sourceAssetId: own.assetId,
  });
  await assetMachine(env, clip.assetId).start(clip.assetId);
  await until(workspace, clip.assetId, "Failed");
  expect(await mediaOf(workspace, clip.assetId)).toMatchObject({
    error: { code: "clip_source_gone", fault: "source" },
  });
});

test("the same request twice with one Idempotency-Key makes one clip", async () => {
  const body = clipBody(film.assetId, { startTime: 4, endTime: 8 });
  const key = { "idempotency-key": crypto.randomUUID() };
  const post = async () => await (await workspace.request("POST", "/v1/on-demand", body, key)).json<MediaAnswer>();
  const [first, second] = [await post(), await post()];
  expect(second.data.id).toBe(first.data.id);
  expect(await db.$count(sharedMedia, eq(sharedMedia.mediaId, first.data.id))).toBe(1);
});

test("clips beyond a workspace's rate are refused, also when earlier ones are deleted", async () => {
  const own = await newWorkspace();
  const source = await readyFilm(own);
  const first = await newClip(own, source.assetId, { startTime: 0, endTime: 4 });
  await until(own, first.assetId, "Ready");
  await remove(own, first.assetId);
  const now = new Date();
  for (let n = 1; n < CLIPS_PER_MINUTE; n += 1)
    await db.insert(sharedMedia).values({ mediaId: crypto.randomUUID(), workspaceId: own.id, createdAt: now });
  const answer = await own.request("POST", "/v1/on-demand", clipBody(source.assetId));
  expect([answer.status, answer.headers.get("retry-after")]).toEqual([429, "60"]);
  expect(await db.$count(assets, eq(assets.sourceAssetId, source.assetId))).toBe(1);
});
