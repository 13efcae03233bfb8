/** The media of an upload whose file has not arrived (media contract, Identifiers and uploads): its id and its playback ID are good already. */
import { env } from "cloudflare:test";
import { beforeEach, expect, test } from "vitest";
import { eventsOf, until } from "../../events/webhooks/webhook-rows.ts";
import { newWorkspace, type TestWorkspace } from "../../workspace.ts";
import { call, elapse, FILM, newUpload, putRange } from "./upload-helpers.ts";

const DAY_MS = 24 * 60 * 60_000;
const PLAYLISTS = "/v1/on-demand/playlists";
let workspace: TestWorkspace;
beforeEach(async () => {
  workspace = await newWorkspace();
});

interface Media {
  status: string;
  title?: string;
  metadata: object;
  playbackIds: { id: string }[];
}
const mediaOf = async (id: string) =>
  (await (await workspace.request("GET", `/v1/on-demand/${id}`)).json<{ data: Media }>()).data;
const statusOf = async (method: string, path: string, body?: object) =>
  (await workspace.request(method, path, body)).status;
async function countOf(path: string): Promise<[listed: number, total: number]> {
  const answer = await workspace.request("GET", path);
  const { data, pagination } = await answer.json<{ data: object[]; pagination: { totalRecords: number } }>();
  return [data.length, pagination.totalRecords];
}
const viewerGets = (path: string) => call("GET", `http://sluice.test/${path}`);
const rowsOf = (id: string) =>
  env.DB.prepare(
    "SELECT (SELECT count(*) FROM assets WHERE id = ?1) AS media, (SELECT count(*) FROM playback_ids WHERE target_id = ?1) AS ids",
  )
    .bind(id)
    .first();

test("it is read by the upload's id, and neither listed nor counted, also by smart playlists", async () => {
  const pushMediaSettings = { title: "Friday", metadata: { shelf: "7" }, accessPolicy: "public" };
  const { uploadId, playbackId } = await newUpload(workspace, { pushMediaSettings });
  const item = `/v1/on-demand/${uploadId}`;
  expect(await mediaOf(uploadId)).toMatchObject({
    id: uploadId,
    status: "Created",
    title: "Friday",
    metadata: { shelf: "7" },
    playbackIds: [{ id: playbackId, accessPolicy: "public" }],
  });
  for (const path of [`${item}/playback-ids`, `${item}/playback-ids/${playbackId}`, `${item}/input-info`])
    expect([path, await statusOf("GET", path)]).toEqual([path, 200]);
  expect(await countOf("/v1/on-demand")).toEqual([0, 0]);
  expect(await countOf("/v1/on-demand/uploads")).toEqual([1, 1]);

  const criteria = {
    type: "smart",
    playOrder: "createdDate ASC",
    metadata: { createdDate: { startDate: "2020-01-01" } },
  };
  const made = await workspace.request("POST", PLAYLISTS, { name: "All", referenceId: "all", ...criteria });
  const { data } = await made.json<{ data: object }>();
  expect(data).toMatchObject({ mediaCount: 0, mediaList: [] });
  const { data: lists } = await (await workspace.request("GET", PLAYLISTS)).json<{ data: object[] }>();
  expect(lists).toMatchObject([{ mediaCount: 0 }]);
});

test("viewers read that it is not ready", async () => {
  const { playbackId } = await newUpload(workspace);
  for (const manifest of [`${playbackId}.m3u8`, `${playbackId}.mpd`]) {
    const answer = await viewerGets(manifest);
    const { error } = await answer.json<{ error: { message: string } }>();
    expect([answer.status, error.message]).toEqual([400, "media is not ready"]);
  }
  const page = await viewerGets(`player/${playbackId}`);
  expect([page.status, await page.text()]).toEqual([202, expect.stringContaining("has not been uploaded yet")]);
});

test("what its owner changes before the file arrives is kept, and announced with it", async () => {
  const { uploadId, playbackId, url } = await newUpload(workspace);
  const item = `/v1/on-demand/${uploadId}`;
  const made = await workspace.request("POST", `${item}/playback-ids`, { accessPolicy: "private" });
  const { data: other } = await made.json<{ data: { id: string } }>();
  expect(made.status).toBe(201);
  const rules = { defaultPolicy: "deny", allow: ["example.com"] };
  expect(await statusOf("PATCH", item, { title: "Later", metadata: { shelf: "9" } })).toBe(200);
  expect(await statusOf("PATCH", `${item}/playback-ids/${playbackId}/domains`, rules)).toBe(200);
  expect(await statusOf("PATCH", `${item}/update-mp4Support`, { mp4Support: "capped_4k" })).toBe(200);
  expect(await statusOf("POST", "/v1/iam/playback-tokens", { playbackId: other.id })).toBe(201);

  await call("PUT", url, {}, FILM);
  const { title, metadata, playbackIds } = await mediaOf(uploadId);
  expect({ title, metadata, ids: playbackIds.map(({ id }) => id).toSorted() }).toEqual({
    title: "Later",
    metadata: { shelf: "9" },
    ids: [playbackId, other.id].toSorted(),
  });
  const events = await eventsOf(uploadId);
  expect(events.map(({ type }) => type)).toEqual([
    "video.media.upload",
    "video.playback_id.created",
    "video.media.updated", // the playback ID
    "video.media.updated", // the title
    "video.media.updated", // the rules
    "video.media.updated", // the files for download
    "video.upload.media_created",
  ]);
  expect(events.at(-1)).toMatchObject({ body: expect.stringContaining('"metadata":{"shelf":"9"}') });
  expect(await countOf("/v1/on-demand")).toEqual([1, 1]);
});

test("the upload's record shows what its owner has changed, also once it is cancelled", async () => {
  const { uploadId } = await newUpload(workspace, { pushMediaSettings: { title: "Friday", creatorId: "ann" } });
  const now = { title: "Saturday", creatorId: "ann", metadata: { shelf: "9" } };
  await statusOf("PATCH", `/v1/on-demand/${uploadId}`, { title: now.title, metadata: now.metadata });
  const list = await workspace.request("GET", "/v1/on-demand/uploads");
  expect((await list.json<{ data: object[] }>()).data).toMatchObject([{ uploadId, pushMediaSettings: now }]);
  const one = await workspace.request("GET", `/v1/on-demand/upload/${uploadId}`);
  expect((await one.json<{ data: object }>()).data).toMatchObject({ pushMediaSettings: now });
  for (const _ of ["cancelled", "repeated, without a media"]) {
    const answer = await workspace.request("PUT", `/v1/on-demand/upload/${uploadId}/cancel`);
    expect((await answer.json<{ data: object }>()).data).toMatchObject({ uploadId, status: "cancelled", ...now });
  }
  expect(JSON.parse(`{${(await eventsOf(uploadId)).at(-1)!.body}`)).toMatchObject({ data: { pushMediaSettings: now } });
});

test.each([
  ["cancelled", (id: string) => statusOf("PUT", `/v1/on-demand/upload/${id}/cancel`)],
  ["expired", (id: string) => elapse(id, DAY_MS)],
])("it is gone when its upload is %s", async (_, end) => {
  const { uploadId, playbackId, url } = await newUpload(workspace);
  await putRange(url, FILM, 0, 100_000);
  await end(uploadId);
  await until(
    () => statusOf("GET", `/v1/on-demand/${uploadId}`),
    (status) => status === 404,
  );
  expect((await viewerGets(`${playbackId}.m3u8`)).status).toBe(404);
  expect(await rowsOf(uploadId)).toEqual({ media: 0, ids: 0 });
  expect(await countOf("/v1/on-demand")).toEqual([0, 0]);
});

test("its deletion ends the upload", async () => {
  const { uploadId, playbackId, url } = await newUpload(workspace);
  await putRange(url, FILM, 0, 100_000);
  expect(await statusOf("DELETE", `/v1/on-demand/${uploadId}`)).toBe(200);
  expect((await putRange(url, FILM, 100_000, FILM.byteLength)).status).toBe(410);
  expect(await statusOf("GET", `/v1/on-demand/${uploadId}`)).toBe(404);
  expect((await viewerGets(`${playbackId}.m3u8`)).status).toBe(404);
  expect((await eventsOf(uploadId)).map(({ type }) => type)).toEqual([
    "video.media.upload",
    "video.media.deleted",
    "video.media.upload.cancelled",
  ]);
});
