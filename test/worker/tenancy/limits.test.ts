/** `GET /v1/limits`: bounds and usage. The bounds themselves are tried by the rows of docs/architecture/limits.md. */
import { env } from "cloudflare:test";
import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { renditions } from "../../../src/library/assets/tables.ts";
import { sweepUploads } from "../../../src/library/uploads/index.ts";
import { deleteOver } from "../../../src/library/uploads/repository.ts";
import { uploads } from "../../../src/library/uploads/tables.ts";
import { openDatabase } from "../../../src/platform/database.ts";
import { FILM, newUpload, putRange } from "../library/uploads/upload-helpers.ts";
import { newWorkspace, type TestWorkspace, videoFrom } from "../workspace.ts";

interface Limits {
  trial: boolean;
  media: { limit: number; used: number };
  liveStreams: { limit: number; used: number };
  waitingUploads: { limit: number; used: number };
  storageBytes: { limit: number; used: number };
  apiRequestsPerMinute: { limit: number };
}

const db = openDatabase(env.DB);
const limitsOf = async (workspace: TestWorkspace) =>
  (await (await workspace.request("GET", "/v1/limits")).json<{ data: Limits }>()).data;
const create = async (workspace: TestWorkspace, path: string, body: object, headers = {}) =>
  (await (await workspace.request("POST", path, body, headers)).json<{ data: { id: string; streamId: string } }>())
    .data;

test("GET /v1/limits follows creations and deletions of the workspace, and of no other", async () => {
  const [workspace, other] = [await newWorkspace(), await newWorkspace()];
  const bounds = { media: 1_000_000, liveStreams: 10_000, waitingUploads: 1000, storageBytes: 54_975_581_388_800 };
  const usage = async (of: TestWorkspace) => {
    const { trial, apiRequestsPerMinute, ...limits } = await limitsOf(of);
    expect([trial, apiRequestsPerMinute]).toEqual([false, { limit: 6000 }]);
    for (const [name, limit] of Object.entries(bounds)) expect(limits[name as keyof typeof limits].limit).toBe(limit);
    return [limits.media.used, limits.liveStreams.used, limits.storageBytes.used];
  };
  expect(await usage(workspace)).toEqual([0, 0, 0]);

  const video = videoFrom("http://127.0.0.1:9/a.mp4");
  const media = await create(workspace, "/v1/on-demand", video);
  for (let n = 0; n < 2; n += 1) await create(workspace, "/v1/on-demand", video, { "idempotency-key": "once" });
  const { streamId } = await create(workspace, "/v1/live-stream", {});
  await db.insert(renditions).values({
    assetId: media.id,
    name: "v720",
    kind: "video",
    origin: "ladder",
    isWhole: true,
    codec: "avc1.64001f",
    timescale: 25,
    initBytes: 800,
    segments: { durationTicks: [100, 100], bytes: [50_000, 40_000], keyframes: [[], []] },
  });
  expect(await usage(workspace)).toEqual([2, 1, 90_800]);
  expect(await usage(other)).toEqual([0, 0, 0]);

  await workspace.request("DELETE", `/v1/on-demand/${media.id}`);
  await workspace.request("DELETE", `/v1/live/streams/${streamId}`);
  await expect.poll(async () => (await usage(workspace)).slice(0, 2), { timeout: 10_000 }).toEqual([1, 0]);
});

test("GET /v1/limits counts an upload until it is complete or cancelled", async () => {
  const workspace = await newWorkspace();
  const waiting = async () => (await limitsOf(workspace)).waitingUploads.used;
  const [first, second] = [await newUpload(workspace), await newUpload(workspace)];
  expect(await waiting()).toBe(2);
  await putRange(first.url, FILM, 0, FILM.byteLength);
  expect(await waiting()).toBe(1);
  for (let n = 0; n < 2; n += 1) await workspace.request("PUT", `/v1/on-demand/upload/${second.uploadId}/cancel`);
  expect(await waiting()).toBe(0);
});

test("the records of uploads that are over are deleted after 30 days, and no other", async () => {
  const workspace = await newWorkspace();
  const made = [await newUpload(workspace), await newUpload(workspace), await newUpload(workspace)];
  const [old = "", waiting = "", young = ""] = made.map(({ uploadId }) => uploadId);
  const now = new Date();
  const limitMs = now.getTime() - 30 * 24 * 3600_000;
  const age = (id: string, status: "expired" | "waiting", ms: number) =>
    db
      .update(uploads)
      .set({ status, createdAt: new Date(ms) })
      .where(eq(uploads.id, id));
  await db.batch([age(old, "expired", limitMs - 1), age(young, "expired", limitMs), age(waiting, "waiting", 0)]);
  const left = async () =>
    (await db.select().from(uploads).where(eq(uploads.workspaceId, workspace.id))).map(({ id }) => id).sort();
  await deleteOver(db, new Date(limitMs), 1000);
  expect(await left()).toEqual([waiting, young].sort());
  await sweepUploads(env, now); // ends the waiting one, which then is over too
  expect(await left()).toEqual([young]);
});
