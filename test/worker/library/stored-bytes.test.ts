/** What a workspace's storage counts apart from renditions: sources, and files that are being uploaded. */
import { env, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { eq } from "drizzle-orm";
import { beforeEach, describe, expect, test, vi } from "vitest";
import type { AssetMachine } from "../../../durable-objects/asset-machine.ts";
import { failAsset } from "../../../src/library/asset-machine/end-processing.ts";
import { STUCK } from "../../../src/library/assets/asset-error.ts";
import { purgeAsset } from "../../../src/library/assets/purge.ts";
import { forgetAsset, setSourceBytes } from "../../../src/library/assets/repository.ts";
import { commit, openDatabase } from "../../../src/platform/database.ts";
import { assetPrefix, renditionKey, sourceKey } from "../../../src/platform/storage/keys.ts";
import { usageOf } from "../../../src/tenancy/limits/repository.ts";
import { workspaceUsage } from "../../../src/tenancy/limits/tables.ts";
import { type MediaAnswer, newWorkspace, type TestWorkspace, videoFrom } from "../workspace.ts";
import { addPassthrough, addRung, newAsset } from "../playback/playable.ts";
import { openSourceServer } from "./sources/source-servers.ts";
import { call, elapse, newUpload, putRange, someBytes, storedKeys } from "./uploads/upload-helpers.ts";

const FILE = someBytes(10_000);
const GIB = 1024 ** 3;
let workspace: TestWorkspace;
beforeEach(async () => {
  workspace = await newWorkspace();
});

const db = openDatabase(env.DB);
const storedBytes = async () => (await usageOf(db, workspace.id)).storedBytes;
/** Leaves this much room. */
const fill = (roomBytes: number) =>
  db
    .update(workspaceUsage)
    .set({ storedBytes: Number(env.MAX_WORKSPACE_BYTES) - roomBytes })
    .where(eq(workspaceUsage.workspaceId, workspace.id));

test("a file by URL fails its media when its length is more than the room that is left, and nothing of it stays", async () => {
  await newUpload(workspace); // the workspace has a row to fill
  const server = await openSourceServer();
  const url = await server.add("/large", { kind: "content", sizeBytes: 9 << 20 });
  const { data } = await (await workspace.request("POST", "/v1/on-demand", videoFrom(url))).json<MediaAnswer>();
  await fill(1 << 20);
  const read = async () => {
    const answer = await workspace.request("GET", `/v1/on-demand/${data.id}`);
    return (await answer.json<{ data: { status: string; error?: { code: string } } }>()).data;
  };
  await vi.waitFor(async () => expect((await read()).error?.code).toBe("storage_full"), { timeout: 15_000 });
  await vi.waitFor(async () => expect(await storedKeys(data.id)).toEqual([]), { timeout: 15_000 });
});

describe("the file of an upload", () => {
  test("counts whole from its first chunk, and as the media's source when it is complete", async () => {
    const { url } = await newUpload(workspace);
    expect(await storedBytes()).toBe(0);
    await putRange(url, FILE, 0, 100);
    expect(await storedBytes()).toBe(10_000);
    await putRange(url, FILE, 100, 10_000);
    await vi.waitFor(async () => expect(await storedBytes()).toBe(10_000));
  });

  test("counts by the length that its client states last", async () => {
    const { url } = await newUpload(workspace);
    await call("PUT", url, { "content-range": "bytes */70000" });
    expect(await storedBytes()).toBe(70_000);
    await putRange(url, FILE, 0, 100);
    expect(await storedBytes()).toBe(10_000);
  });

  test("of unknown length counts in steps of 1 GiB, and exactly at its end", async () => {
    const { url } = await newUpload(workspace);
    await putRange(url, FILE, 0, 5000, "*");
    expect(await storedBytes()).toBe(GIB);
    await putRange(url, FILE, 5000, 10_000);
    await vi.waitFor(async () => expect(await storedBytes()).toBe(10_000));
  });

  test("counts no more when it is cancelled, or expires", async () => {
    const [cancelled, expired] = [await newUpload(workspace), await newUpload(workspace)];
    for (const { url } of [cancelled, expired]) await putRange(url, FILE, 0, 100);
    expect(await storedBytes()).toBe(20_000);
    await workspace.request("PUT", `/v1/on-demand/upload/${cancelled.uploadId}/cancel`);
    expect(await storedBytes()).toBe(10_000);
    await elapse(expired.uploadId, 25 * 3_600_000);
    await elapse(expired.uploadId, 0);
    expect(await storedBytes()).toBe(0);
  });

  test("counts nothing by a chunk that is not taken", async () => {
    const { url } = await newUpload(workspace);
    expect((await putRange(url, someBytes(70_000), 5, 6)).status).toBe(308); // it leaves a gap
    expect(await storedBytes()).toBe(0);
    await putRange(url, FILE, 0, 100);
    expect((await putRange(url, FILE, 0, 1, 1)).status).toBe(400); // another length
    expect(await storedBytes()).toBe(10_000);
  });

  test("for which there is no room is refused before a byte is stored, and taken when there is room", async () => {
    const { url, uploadId } = await newUpload(workspace);
    await fill(9999);
    const refused = await putRange(url, FILE, 0, 100);
    expect(refused.status).toBe(400);
    expect(await refused.text()).toContain("no room for this file");
    expect(await storedKeys(uploadId)).toEqual([]);
    expect((await call("PUT", url, { "content-range": "bytes */10000" })).status).toBe(400);
    await fill(10_000);
    expect((await putRange(url, FILE, 0, 10_000)).status).toBe(200);
  });

  test("that has its place is not refused because others fill the workspace", async () => {
    const { url } = await newUpload(workspace);
    await putRange(url, FILE, 0, 100);
    await fill(0);
    expect((await putRange(url, FILE, 100, 10_000)).status).toBe(200);
  });
});

test("renditions that are cut out of the source count with it", async () => {
  const { assetId } = await newAsset({ status: "ready", workspaceId: workspace.id });
  await addPassthrough(assetId, [[{ offset: 100, length: 50_000 }]]);
  expect(await storedBytes()).toBe(0);
  await commit(env.DB, [setSourceBytes(db, assetId, 60_000)]);
  expect(await storedBytes()).toBe(60_000);
  await forgetAsset(db, assetId, new Date());
  expect(await storedBytes()).toBe(0);
});

describe("the source of a media", () => {
  /** A media whose source has been copied. */
  async function copied(): Promise<string> {
    const server = await openSourceServer();
    await server.add("/film", { kind: "content", sizeBytes: 50_000 });
    const input = { type: "video", url: `${server.origin}/film` };
    const created = await workspace.request("POST", "/v1/on-demand", { inputs: [input], accessPolicy: "public" });
    const { data } = await created.json<{ data: { id: string } }>();
    await vi.waitFor(async () => expect(await env.MEDIA.head(sourceKey(data.id))).not.toBeNull(), { timeout: 20_000 });
    await vi.waitFor(async () => expect(await storedBytes()).toBe(50_000));
    return data.id;
  }
  const machineOf = (id: string) => env.ASSET_MACHINE.get(env.ASSET_MACHINE.idFromName(id));
  const fail = async (id: string) => {
    await runInDurableObject(machineOf(id), ({ components }: AssetMachine) => failAsset(components, STUCK));
    await runDurableObjectAlarm(machineOf(id));
  };
  const keysOf = async (id: string) => (await env.MEDIA.list({ prefix: assetPrefix(id) })).objects.length;

  test("counts, and is deleted with all else when the media has failed for good", async () => {
    const id = await copied();
    await addRung(id);
    await env.MEDIA.put(renditionKey(id, "v720", "0.m4s"), "segment of a finished job");
    expect(await storedBytes()).toBeGreaterThan(50_000);
    await fail(id);
    await purgeAsset(env, { assetId: id, pass: 1 });
    expect(await keysOf(id)).toBe(0);
    await env.MEDIA.put(renditionKey(id, "v720", "1.m4s"), "a write that was under way");
    await purgeAsset(env, { assetId: id, pass: 2 });
    expect([await keysOf(id), await storedBytes()]).toEqual([0, 0]);
    await purgeAsset(env, { assetId: id, pass: 2 }); // repeated, because the caller's write has failed
    const answer = await workspace.request("GET", `/v1/on-demand/${id}`);
    expect(await answer.json()).toMatchObject({ data: { id, status: "Failed" } });
    expect((await workspace.request("DELETE", `/v1/on-demand/${id}`)).status).toBe(200);
    await purgeAsset(env, { assetId: id, pass: 1 });
    await purgeAsset(env, { assetId: id, pass: 2 });
    expect(await storedBytes()).toBe(0);
  });
});
