/** The original file, as its owner lets viewers download it. */
import { env } from "cloudflare:test";
import { asc, eq } from "drizzle-orm";
import { expect, test, vi } from "vitest";
import { events } from "../../../src/events/index.ts";
import { openDatabase } from "../../../src/platform/database.ts";
import { pieceKey, pieceListKey, sourceKey } from "../../../src/platform/storage/keys.ts";
import { projectAsset } from "../../../src/library/assets/projection.ts";
import { newWorkspace, type TestWorkspace } from "../workspace.ts";
import { get, newAsset } from "./playable.ts";
import { addSigningKey, signToken } from "./tokens.ts";

const FILE = crypto.getRandomValues(new Uint8Array(10_000));
const db = openDatabase(env.DB);
type Change = Parameters<typeof newAsset>[0];

async function newStored(change: Change = {}, access: Parameters<typeof newAsset>[1] = {}) {
  const made = await newAsset({ status: "ready", sourceAccess: true, ...change }, access);
  await env.MEDIA.put(sourceKey(made.assetId), FILE);
  return made;
}
const patch = (workspace: TestWorkspace, assetId: string, body: unknown) =>
  workspace.request("PATCH", `/v1/on-demand/${assetId}/source-access`, body);
const sourceEventsOf = async ({ id }: TestWorkspace) =>
  (await db.select().from(events).where(eq(events.workspaceId, id)).orderBy(asc(events.createdAt))).filter(({ type }) =>
    type.startsWith("video.media.source."),
  );

test("the original is downloaded whole, as an attachment with its name, and never as a page of this host", async () => {
  const { playbackId } = await newStored({ sourceUrl: "https://cdn.test/a/Caf%C3%A9%20%22x%22.mp4?sig=1" });
  const answer = await get(`/${playbackId}/source`);
  expect([answer.status, new Uint8Array(await answer.arrayBuffer())]).toEqual([200, FILE]);
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    "content-type": "application/octet-stream",
    "content-disposition": `attachment; filename="Caf_ _x_.mp4"; filename*=UTF-8''Caf%C3%A9%20%22x%22.mp4`,
    "x-content-type-options": "nosniff",
    "cache-control": "no-cache",
    "content-length": "10000",
  });
});

test("a player that reads the original in ranges is one query a second", async () => {
  const { playbackId } = await newStored();
  const prepare = vi.spyOn(env.DB, "prepare");
  try {
    for (let n = 0; n < 5; n += 1) {
      const range = await get(`/${playbackId}/source`, { range: `bytes=${n}-${n}` });
      expect([range.status, new Uint8Array(await range.arrayBuffer())]).toEqual([206, FILE.slice(n, n + 1)]);
    }
    expect(prepare).toHaveBeenCalledTimes(1);
  } finally {
    prepare.mockRestore();
  }
});

test("a range, a HEAD and a precondition of the original are answered", async () => {
  const { playbackId } = await newStored();
  const range = await get(`/${playbackId}/source`, { range: "bytes=9990-" });
  expect([range.status, range.headers.get("content-range")]).toEqual([206, "bytes 9990-9999/10000"]);
  expect(new Uint8Array(await range.arrayBuffer())).toEqual(FILE.slice(9990));
  const head = await get(`/${playbackId}/source`, {}, "HEAD");
  expect([head.status, head.headers.get("content-length"), await head.text()]).toEqual([200, "10000", ""]);
  const again = await get(`/${playbackId}/source`, { "if-none-match": head.headers.get("etag")! });
  expect(again.status).toBe(304);
  expect((await get(`/${playbackId}/source`, { range: "bytes=10000-" })).status).toBe(416);
});

test("the pieces of an upload are one original", async () => {
  const { assetId, playbackId } = await newAsset({ status: "ready", sourceAccess: true, sourceUrl: "upload:x" });
  await env.MEDIA.put(pieceKey(assetId, 0), FILE.slice(0, 4000));
  await env.MEDIA.put(pieceKey(assetId, 3), FILE.slice(4000));
  await env.MEDIA.put(
    pieceListKey(assetId),
    JSON.stringify([
      [0, 4000],
      [3, 6000],
    ]),
  );
  const answer = await get(`/${playbackId}/source`, { range: "bytes=3990-4009" });
  expect([answer.status, new Uint8Array(await answer.arrayBuffer())]).toEqual([206, FILE.slice(3990, 4010)]);
  expect(answer.headers.get("content-disposition")).toBe('attachment; filename="source"');
});

test.each<[string, Change, Parameters<typeof newAsset>[1]]>([
  ["whose owner does not allow it", { sourceAccess: false }, {}],
  ["that is deleted", { deletedAt: new Date() }, {}],
  ["by a playback ID with DRM", {}, { accessPolicy: "drm", keySystems: ["clearkey"] }],
  ["by a playback ID that is limited in resolution", {}, { resolution: "480p" }],
])("no original of a media %s", async (_, change, access) => {
  const { playbackId } = await newStored({ workspaceId: "drm", ...change }, access);
  const token = await signToken(await addSigningKey("drm"), playbackId);
  expect((await get(`/${playbackId}/source?token=${token}`)).status).toBe(404);
});

test("the original of a private media needs a token", async () => {
  const { playbackId } = await newStored({ workspaceId: "private" }, { accessPolicy: "private" });
  expect((await get(`/${playbackId}/source`)).status).toBe(401);
  const token = await signToken(await addSigningKey("private"), playbackId);
  expect((await get(`/${playbackId}/source?token=${token}`)).status).toBe(200);
});

test("an original that is not in the store yet, and any other method, are refused", async () => {
  const { playbackId } = await newAsset({ sourceAccess: true });
  expect((await get(`/${playbackId}/source`)).status).toBe(404);
  const post = await get(`/${playbackId}/source`, {}, "POST");
  expect([post.status, post.headers.get("allow")]).toEqual([405, "GET, HEAD, OPTIONS"]);
});

test("access begins and ends at once, with one event each, and a repetition changes nothing", async () => {
  const workspace = await newWorkspace();
  const { assetId, playbackId } = await newStored({ workspaceId: workspace.id, sourceAccess: false });
  for (const sourceAccess of [true, true, false, false]) {
    const answer = await patch(workspace, assetId, { sourceAccess });
    expect([answer.status, await answer.json()]).toMatchObject([200, { data: { id: assetId, sourceAccess } }]);
    expect((await get(`/${playbackId}/source`)).status).toBe(sourceAccess ? 200 : 404);
  }
  expect((await sourceEventsOf(workspace)).map(({ type }) => type)).toEqual([
    "video.media.source.ready",
    "video.media.source.deleted",
  ]);
});

test("of a media that is still processed, the original is announced once, when the media is ready", async () => {
  const workspace = await newWorkspace();
  const { assetId } = await newAsset({ workspaceId: workspace.id });
  expect((await patch(workspace, assetId, { sourceAccess: true })).status).toBe(200);
  expect(await sourceEventsOf(workspace)).toEqual([]);
  const event = { id: crypto.randomUUID(), type: "asset.ready" as const, occurredAtMs: Date.now() };
  const messages = [
    { kind: "facts" as const, payload: { status: "ready" as const } },
    { kind: "event" as const, payload: event },
  ];
  for (let repeat = 0; repeat < 2; repeat += 1) await projectAsset(env, assetId, messages, new Date());
  expect((await sourceEventsOf(workspace)).map(({ type }) => type)).toEqual(["video.media.source.ready"]);
});

test.each([{}, { sourceAccess: "true" }, { sourceAccess: null }, []])("a body like %j is refused", async (body) => {
  const workspace = await newWorkspace();
  const { assetId } = await newAsset({ workspaceId: workspace.id });
  expect((await patch(workspace, assetId, body)).status).toBe(422);
});

test("a recording has no original, which its refusal says", async () => {
  const workspace = await newWorkspace();
  const { assetId } = await newAsset({ workspaceId: workspace.id, status: "ready", streamId: crypto.randomUUID() });
  const answer = await patch(workspace, assetId, { sourceAccess: true });
  expect([answer.status, JSON.stringify(await answer.json())]).toEqual([422, expect.stringContaining("no original")]);
});

test("a media is created with access to its original", async () => {
  const workspace = await newWorkspace();
  const inputs = [{ type: "video", url: "http://127.0.0.1:9/a.mp4" }];
  const body = { inputs, accessPolicy: "public", sourceAccess: true };
  const created = await workspace.request("POST", "/v1/on-demand", body);
  const { data } = await created.json<{ data: { id: string; sourceAccess: boolean } }>();
  const read = await workspace.request("GET", `/v1/on-demand/${data.id}`);
  expect([data.sourceAccess, await read.json()]).toMatchObject([true, { data: { sourceAccess: true } }]);
});
