/** Hosts that are mapped to migrated videos. */
import { env } from "cloudflare:test";
import { expect, test } from "vitest";
import { newAsset } from "../playback/playable.ts";
import { migratedPlaybackIds } from "../../../src/imports/store/tables.ts";
import { openDatabase } from "../../../src/platform/database.ts";
import { countQueries } from "./count-queries.ts";
import { type ErrorBody, newWorkspace, send, type TestWorkspace } from "../workspace.ts";

const PATH = "/v1/imports/hosts";
const newHost = () => `${crypto.randomUUID()}.customer.test`;

const map = (workspace: TestWorkspace, host: string, source = "mux") =>
  workspace.request("PUT", PATH, { host, source });

test("a host is mapped, listed, given another source, and deleted", async () => {
  const workspace = await newWorkspace();
  const host = newHost();
  const mapped = await map(workspace, host.toUpperCase());
  expect([mapped.status, await mapped.json()]).toEqual([
    200,
    { success: true, data: { host, source: "mux", createdAt: expect.any(String) } },
  ]);
  await map(workspace, host, "api_video");
  const list = await (await workspace.request("GET", PATH)).json<{ data: object[] }>();
  expect(list.data).toEqual([{ host, source: "api_video", createdAt: expect.any(String) }]);
  expect(await (await workspace.request("DELETE", `${PATH}/${host}`)).json()).toEqual({ success: true });
  expect((await workspace.request("DELETE", `${PATH}/${host}`)).status).toBe(404);
});

test("another workspace's host is taken, without a word whose it is, and cannot be deleted", async () => {
  const [workspace, other] = [await newWorkspace(), await newWorkspace()];
  const host = newHost();
  await map(workspace, host);
  const taken = await map(other, host, "vimeo");
  const text = await taken.text();
  expect([taken.status, text.includes(workspace.id)]).toEqual([409, false]);
  const foreign = await other.request("DELETE", `${PATH}/${host}`);
  const unknown = await other.request("DELETE", `${PATH}/${newHost()}`);
  expect([foreign.status, await foreign.text()]).toEqual([404, await unknown.text()]);
  expect((await (await workspace.request("GET", PATH)).json<{ data: object[] }>()).data).toMatchObject([
    { host, source: "mux" },
  ]);
});

test.each([
  ["sluice.test", "must not be a host that serves this platform"],
  ["stream.sluice.test", "must not be a host that serves this platform"],
  ["a.workers.dev", "must not be a host of workers.dev"],
  ["stream.mux.com", "must be a host of your own: a vendor's cannot be pointed to this platform"],
  ["127.0.0.1", "must be the name of a host, such as videos.example.com"],
  ["https://x.customer.test/", "must be the name of a host, such as videos.example.com"],
])("%s cannot be mapped", async (host, hint) => {
  const answer = await map(await newWorkspace(), host);
  const { error } = await answer.json<ErrorBody>();
  expect([answer.status, error.hints]).toEqual([422, [{ field: "host", message: hint }]]);
});

test("a workspace has at most 20, however many are mapped at once", async () => {
  const workspace = await newWorkspace();
  const hosts = Array.from({ length: 24 }, newHost);
  const statuses = await Promise.all(hosts.map(async (host) => (await map(workspace, host)).status));
  expect(statuses.filter((status) => status === 200)).toHaveLength(20);
  const own = hosts[statuses.indexOf(200)]!;
  expect((await map(workspace, own, "s3")).status).toBe(200);
  const refused = await map(workspace, newHost());
  expect((await refused.json<ErrorBody>()).error).toMatchObject({ code: 400, message: "import host limit reached" });
});

test("a mapped host leads old addresses to the platform, and takes none of its own away", async () => {
  const workspace = await newWorkspace();
  const host = newHost();
  const { assetId, playbackId } = await newAsset({ workspaceId: workspace.id });
  const row = {
    workspaceId: workspace.id,
    source: "mux",
    oldPlaybackId: "old1",
    playbackId,
    mediaId: assetId,
  } as const;
  await openDatabase(env.DB).insert(migratedPlaybackIds).values(row);
  const ask = (path: string, init: RequestInit = {}) =>
    send(new Request(`https://${host}${path}`, { redirect: "manual", ...init }));

  const before = await ask("/old1.m3u8");
  expect(before.status).toBe(404);
  await map(workspace, host);
  const redirected = await ask("/old1.m3u8?max_resolution=720p&token=x");
  expect([redirected.status, redirected.headers.get("location")]).toEqual([
    302,
    `http://sluice.test/${playbackId}.m3u8?maxResolution=720p`,
  ]);
  const taken = ["v1", "healthz", playbackId].map((oldPlaybackId) => ({ ...row, oldPlaybackId }));
  await openDatabase(env.DB).insert(migratedPlaybackIds).values(taken);
  for (const path of ["/v1/on-demand", "/healthz", "/v1/openapi.json", "/v1"]) {
    const headers = { authorization: workspace.authorization };
    const own = await send(new Request(`http://sluice.test${path}`, { headers, redirect: "manual" }));
    expect([path, (await ask(path, { headers })).status]).toEqual([path, own.status]);
  }
  expect((await ask(`/${playbackId}.m3u8`)).headers.get("location")).toBeNull();
  expect((await ask("/v1/imports", { method: "POST" })).status).toBe(401);
  await workspace.request("DELETE", `${PATH}/${host}`);
  expect((await ask("/old1.m3u8")).status).toBe(404);
  expect((await ask("/v1/openapi.json")).status).toBe(200);
});

test("a host costs one query a minute, and the platform's own none", async () => {
  const host = newHost();
  const { DB, queries } = countQueries(env.DB);
  const ask = (url: string) => send(new Request(url), { DB });
  await ask(`https://${host}/robots.txt`);
  await ask(`https://${host}/robots.txt`);
  const ofHosts = () => queries.filter((text) => text.includes("import_hosts"));
  expect(ofHosts()).toHaveLength(1);
  for (const own of [
    "http://sluice.test",
    "http://stream.sluice.test",
    "http://localhost:8787",
    "http://127.0.0.1:8787",
    "https://x.someone.workers.dev",
    "http://[::1]",
  ])
    await ask(`${own}/robots.txt`);
  expect(ofHosts()).toHaveLength(1);
});

test("a network that names too many unknown hosts causes no further queries, and a database that fails stops no request", async () => {
  const { DB, queries } = countQueries(env.DB);
  const UNKNOWN_IDS = { limit: async () => ({ success: false }) };
  const headers = { "cf-connecting-ip": "198.51.100.7" };
  const ask = () => send(new Request(`https://${newHost()}/healthz`, { headers }), { DB, UNKNOWN_IDS });
  await ask();
  await ask();
  expect(queries.filter((text) => text.includes("import_hosts"))).toHaveLength(1);

  const broken = {
    prepare: () => {
      throw new Error("no database");
    },
  } as unknown as D1Database;
  expect((await send(new Request(`https://${newHost()}/robots.txt`), { DB: broken })).status).toBe(404);
});
