/**
 * Every part of the platform is killed in the middle of a real encode. Each time the asset still becomes ready, once, with the same bytes, one
 * `asset.ready` and no unused objects in R2.
 */
import { readFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { madeFile } from "../../support/made.ts";
import { isReady, type Media, startTestPlatform, type TestPlatform } from "../../support/platform.ts";
import { fingerprint } from "../../support/playlists.ts";
import { childrenOf, commandOf, descendantsOf } from "../../support/processes.ts";
import { fileContent } from "../../support/source-content.ts";
import { type SourceServer, startSourceServer } from "../../support/source-server.ts";
import { withState } from "../../support/state.ts";

/** Short leases, so that a lost job is assigned again within seconds. */
const vars = { JOB_LEASE_MS: "3000", SOURCE_RETRY_SCALE: "0.1" };

let server: SourceServer;
let platform: TestPlatform;
/** Its encoder is frozen for a minute while the other tests run. */
let frozen: TestPlatform;
let thawed: Promise<Asset>;
let undisturbed: Record<string, string>;
let film: Uint8Array<ArrayBuffer>;

beforeAll(async () => {
  // Half a minute: a first chunk, and a second that takes long enough to be killed in.
  const words = [
    "-stream_loop",
    "5",
    "-i",
    "test/fixtures/flower.mp4",
    "-vf",
    "scale=320:180",
    "-preset",
    "ultrafast",
    "-t",
    "30",
  ];
  const path = await madeFile(words, "mp4");
  film = new Uint8Array(readFileSync(path));
  server = await startSourceServer();
  const content = await fileContent(path);
  server.add("/long.mp4", { kind: "content", content });
  server.add("/slow.mp4", { kind: "content", content, trickle: { bytes: 65_536, intervalMs: 20 } });
  [platform, frozen] = await Promise.all([startTestPlatform({ vars }), startTestPlatform({ vars })]);
  thawed = encodeWithFrozenEncoder();
  const { assetId, playbackId } = await platform.create(server.url("/long.mp4"));
  await platform.until(assetId, isReady);
  undisturbed = await fingerprint(`${platform.baseUrl}/${playbackId}.m3u8`);
});

afterAll(async () => {
  await Promise.all([platform, frozen].map((one) => one.stop()));
  await Promise.all([platform, frozen].map((one) => one.removeHome()));
  await server.stop();
});

const rangeOf = (first: number, end: number) => ({ "content-range": `bytes ${first}-${end - 1}/${film.byteLength}` });

/** Sends a chunk again until it is stored, as upload clients do. */
async function putUntilStored(url: string, first: number, end: number): Promise<void> {
  const put = async () => {
    const answer = await fetch(url, { method: "PUT", headers: rangeOf(first, end), body: film.subarray(first, end) });
    return answer.status === 200 ? film.byteLength : Number(answer.headers.get("range")?.split("-")[1] ?? -1) + 1;
  };
  await expect.poll(() => put().catch(() => -1), { timeout: 30_000, interval: 100 }).toBe(end);
}

/** Returns when the first half of a chunk is sent. Its connection stays open, and breaks when its server is killed. */
async function sendHalf(url: string, first: number, end: number): Promise<void> {
  const headers = { ...rangeOf(first, end), "content-length": String(end - first) };
  const sending = request(url, { method: "PUT", headers });
  sending.on("error", () => undefined);
  await new Promise((done) => sending.write(film.subarray(first, Math.ceil((first + end) / 2)), done));
}

/** Some of it is encoded, and some is not. */
const isInTheMiddle = ({ progress }: Media) =>
  progress?.stage === "encoding" &&
  progress.renditions.some(({ percent }) => percent > 0) &&
  progress.renditions.some(({ percent }) => percent < 100);

interface Asset {
  on: TestPlatform;
  assetId: string;
  playbackId: string;
}
const created: Asset[] = [];

let deleted = "";

async function create(on: TestPlatform, path: string): Promise<Asset> {
  const asset = { on, ...(await on.create(server.url(path))) };
  created.push(asset);
  return asset;
}

async function encodeUntilTheMiddle(on = platform): Promise<Asset> {
  const asset = await create(on, "/long.mp4");
  await on.until(asset.assetId, isInTheMiddle);
  return asset;
}

async function encodeWithFrozenEncoder(): Promise<Asset> {
  const asset = await encodeUntilTheMiddle(frozen);
  const pids = [requirePid(frozen.pids.encoder()), ...encoderJobs(frozen)];
  for (const pid of pids) process.kill(pid, "SIGSTOP");
  await new Promise((done) => setTimeout(done, 60_000)); // the minute without an answer
  for (const pid of pids) process.kill(pid, "SIGCONT");
  return asset;
}

async function expectUndisturbed({ on, assetId, playbackId }: Asset): Promise<void> {
  await on.until(assetId, isReady);
  expect(await fingerprint(`${on.baseUrl}/${playbackId}.m3u8`)).toEqual(undisturbed);
}

const requirePid = (pid: number | undefined): number => {
  if (pid === undefined) throw new Error("the part does not run");
  return pid;
};
const encoderJobs = (on = platform) => childrenOf(requirePid(on.pids.encoder()));
const workerd = () =>
  descendantsOf(requirePid(platform.pids.worker())).filter((pid) => /workerd.* serve /.test(commandOf(pid)));

describe("an asset becomes ready with the same bytes when", () => {
  test("the encoder's child is killed", async () => {
    const asset = await encodeUntilTheMiddle();
    const [child] = encoderJobs();
    process.kill(requirePid(child), "SIGKILL");
    await expectUndisturbed(asset);
  });

  test("the encoder is killed", async () => {
    const asset = await encodeUntilTheMiddle();
    for (const pid of [requirePid(platform.pids.encoder()), ...encoderJobs()]) process.kill(pid, "SIGKILL");
    await expectUndisturbed(asset);
  });

  test("workerd is killed", async () => {
    const asset = await encodeUntilTheMiddle();
    const pids = [...workerd(), requirePid(platform.pids.worker())];
    expect(pids.length).toBeGreaterThan(1);
    for (const pid of pids) process.kill(pid, "SIGKILL");
    await expectUndisturbed(asset);
  });

  test("workerd is killed between two chunks of an upload, and while a chunk is being sent", async () => {
    const { body } = await platform.api<{ uploadId: string; url: string }>("POST", "/v1/on-demand/upload", {
      corsOrigin: "*",
    });
    const { uploadId, url } = body.data;
    const kill = () => {
      for (const pid of [...workerd(), requirePid(platform.pids.worker())]) process.kill(pid, "SIGKILL");
    };
    const third = Math.ceil(film.byteLength / 3);
    await putUntilStored(url, 0, third);
    kill();
    await putUntilStored(url, third, 2 * third);
    await sendHalf(url, 2 * third, film.byteLength);
    kill();
    await putUntilStored(url, 2 * third, film.byteLength);
    await expectUndisturbed({ on: platform, assetId: uploadId, playbackId: body.playback_id });
    const { body: events } = await platform.api<{ type: string }[]>("GET", `/v1/events?objectId=${uploadId}&limit=100`);
    const types = events.data.map(({ type }) => type);
    expect(types.toReversed()).toEqual(["video.media.upload", "video.upload.media_created", "asset.ready"]);
  });

  test("the source's server crashes midway and restarts", async () => {
    const asset = await create(platform, "/slow.mp4");
    await platform.until(asset.assetId, ({ status }) => status === "Downloading");
    await server.stop();
    await platform.until(asset.assetId, ({ status }) => status === "Downloading");
    await server.start();
    await expectUndisturbed(asset);
  });
});

test("deleting in the middle of an encode ends playback immediately, stops the encoder and leaves no bytes", async () => {
  const asset = await encodeUntilTheMiddle();
  created.splice(created.indexOf(asset), 1);
  deleted = asset.assetId;
  expect((await platform.api("DELETE", `/v1/on-demand/${asset.assetId}`)).status).toBe(200);
  for (const path of [".m3u8", ".mpd", "/source-v.m3u8", "/source-v/0.m4s"]) {
    expect((await fetch(`${platform.baseUrl}/${asset.playbackId}${path}`)).status).toBe(404);
  }
  const log = () => readFileSync(join(platform.home, "logs", "worker.log"), "utf8");
  // The second pass runs when the lease of the last job has ended and no write is possible any more.
  const isPurged = () => log().includes(`"event":"purge.done","assetId":"${asset.assetId}","pass":2`);
  await expect.poll(isPurged, { timeout: 30_000 }).toBe(true);
});

test("an asset becomes ready with the same bytes when the encoder does not answer for a minute (in real time)", async () => {
  await expectUndisturbed(await thawed);
});

test("after all crashes each asset sent asset.ready once and R2 contains only playable objects and pictures", async () => {
  await Promise.all([platform, frozen].map((one) => one.stop()));
  await withState(platform.home, async (state) => {
    expect(deleted).not.toBe("");
    expect(await state.keys(`assets/${deleted}/`)).toEqual([]);
    expect(await state.rows("SELECT id FROM playback_ids WHERE target_id = ?", deleted)).toEqual([]);
  });
  expect(created).toHaveLength(5);
  for (const { on, assetId } of created)
    await withState(on.home, async (state) => {
      const query = "SELECT type FROM events WHERE object_id = ? ORDER BY created_at";
      const events = await state.rows<{ type: string }>(query, assetId);
      expect(events.map(({ type }) => type)).toEqual(["asset.created", "asset.ready"]);
      const played = Object.keys(undisturbed).map((path) => `assets/${assetId}/renditions/${path}`);
      const others = ["source", "passthrough/source-v", "passthrough/source-a1"].map(
        (name) => `assets/${assetId}/${name}`,
      );
      const keys = await state.keys(`assets/${assetId}/`);
      // Its pictures are prepared once it is ready; the platform may have stopped before.
      const isPicture = (key: string) => key.startsWith(`assets/${assetId}/images/`);
      expect(keys.filter((key) => !isPicture(key))).toEqual([...played, ...others].sort());
    });
});
