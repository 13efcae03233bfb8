/** The texts of subtitle tracks: what is stored of them after replacements, also by two editors at once. */
import { env } from "cloudflare:test";
import { beforeAll, expect, test } from "vitest";
import { addCaptionTrack } from "../../../../src/library/tracks/add-caption-track.ts";
import { storeWords } from "../../../../src/library/tracks/store/store-captions.ts";
import { captionsPrefix } from "../../../../src/platform/storage/keys.ts";
import { newAsset } from "../../playback/playable.ts";
import { newWorkspace, send, type TestWorkspace } from "../../workspace.ts";

let workspace: TestWorkspace;
beforeAll(async () => {
  workspace = await newWorkspace();
});

const vtt = (text: string) => `WEBVTT\n\n00:01.000 --> 00:02.000\n${text}\n`;

/** A track whose text is "first". */
async function newTrack() {
  const { assetId } = await newAsset({ workspaceId: workspace.id, status: "ready", stage: "done" });
  const trackId = crypto.randomUUID();
  const cues = [{ startMs: 1000, endMs: 2000, settings: "", text: "first" }];
  const labels = { languageCode: "en", languageName: "English" };
  await addCaptionTrack(env, { assetId, trackId }, labels, { cues, skipped: 0 }, new Date());
  const path = `/v1/on-demand/${assetId}/tracks/${trackId}/vtt`;
  const put = (text: string, headers: Record<string, string> = {}) =>
    send(
      new Request(`http://sluice.test${path}`, {
        method: "PUT",
        body: vtt(text),
        headers: { authorization: workspace.authorization, ...headers },
      }),
    );
  /** The folders of texts in R2; "" = the first one's. */
  const folders = async () => {
    const prefix = captionsPrefix(assetId, trackId);
    const { objects } = await env.MEDIA.list({ prefix });
    return new Set(objects.map(({ key }) => key.slice(prefix.length).split("/").slice(0, -1).join("/")));
  };
  const versions = async () =>
    (await (await workspace.request("GET", `${path}/versions`)).json<{ data: { version: number }[] }>()).data;
  return { assetId, trackId, path, put, folders, versions };
}

test("a text that is restored has the times of its words again; one that somebody has changed is not overwritten", async () => {
  const { assetId, trackId, path, put } = await newTrack();
  await storeWords(env, { assetId, trackId }, [{ startMs: 1000, endMs: 2000, text: "first", hasSpace: true }]);
  await put("second");
  const restore = (ifMatch: string) =>
    workspace.request("POST", `${path}/versions/1/restore`, undefined, { "if-match": ifMatch });
  expect((await restore('"1"')).status).toBe(412);
  expect((await restore('"2"')).status).toBe(200);
  const { objects } = await env.MEDIA.list({ prefix: captionsPrefix(assetId, trackId) });
  const words = objects.filter(({ key }) => key.endsWith("words.json"));
  expect(words).toHaveLength(2);
  for (const { key } of words)
    expect(await (await env.MEDIA.get(key))!.json()).toEqual({
      words: [{ startMs: 1000, endMs: 2000, text: "first" }],
    });
});

test("captions that are left out of a new text are named, and the others are kept", async () => {
  const { path, put } = await newTrack();
  const answer = await put("kept\n\n00:05.000 --> 00:04.000\nbackwards");
  expect([answer.status, await answer.json()]).toMatchObject([
    200,
    {
      data: { cueCount: 1 },
      warnings: [
        { field: "body", message: "the caption at 00:00:05.000 was left out: it does not end after its start" },
      ],
    },
  ]);
  expect(await (await workspace.request("GET", path)).text()).not.toContain("backwards");
  expect(await (await put("all is kept")).json()).not.toHaveProperty("warnings");
});

test("of two editors at once one wins, and nothing is left of the other's text", async () => {
  const { put, folders, versions } = await newTrack();
  const answers = await Promise.all([put("mine", { "if-match": '"1"' }), put("yours", { "if-match": '"1"' })]);
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 412]));
  expect((await versions()).map(({ version }) => version)).toEqual([2, 1]);
  expect((await folders()).size).toBe(2);
});

test("without a condition both are kept, one after the other", async () => {
  const { put, versions } = await newTrack();
  const answers = await Promise.all([put("mine"), put("yours")]);
  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  expect((await versions()).map(({ version }) => version)).toEqual([3, 2, 1]);
});

test("the last twenty are kept, and the objects of the others are deleted", async () => {
  const { path, put, folders, versions } = await newTrack();
  for (let n = 2; n <= 22; n += 1) expect((await put(`text ${n}`)).status).toBe(200);
  expect((await versions()).map(({ version }) => version)).toEqual(Array.from({ length: 20 }, (_, n) => 22 - n));
  expect((await folders()).size).toBe(20);
  expect((await workspace.request("POST", `${path}/versions/2/restore`)).status).toBe(404);
  expect((await workspace.request("POST", `${path}/versions/3/restore`)).status).toBe(200);
  expect(await (await workspace.request("GET", path)).text()).toContain("text 3");
});
