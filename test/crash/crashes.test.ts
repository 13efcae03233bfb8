/**
 * Every part of the platform is killed in the middle of a real encode. Each time the asset still becomes ready, once, with the same bytes, one
 * `asset.ready` and no unused objects in R2.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { madeFile } from "../support/made.ts";
import { isReady, type Media, startTestPlatform, type TestPlatform } from "../support/platform.ts";
import { fingerprint } from "../support/playlists.ts";
import { childrenOf, commandOf, descendantsOf } from "../support/processes.ts";
import { fileContent } from "../support/source-content.ts";
import { type SourceServer, startSourceServer } from "../support/source-server.ts";
import { withState } from "../support/state.ts";

/** Short leases, so that a lost job is assigned again within seconds. */
const vars = { JOB_LEASE_MS: "3000", SOURCE_RETRY_SCALE: "0.1" };

let server: SourceServer;
let platform: TestPlatform;
let undisturbed: Record<string, string>;
const homes: TestPlatform[] = [];

beforeAll(async () => {
  // Half a minute: a first chunk, and a second that takes long enough to be killed in.
  const words = [
    "-stream_loop",
    "5",
    "-i",
    "test/fixtures/flower.mp4",
    "-vf",
    "scale=640:360",
    "-preset",
    "ultrafast",
    "-t",
    "30",
  ];
  const path = await madeFile(words, "mp4");
  server = await startSourceServer();
  const content = await fileContent(path);
  server.add("/long.mp4", { kind: "content", content });
  server.add("/slow.mp4", { kind: "content", content, trickle: { bytes: 65_536, intervalMs: 20 } });
  platform = await startTestPlatform({ vars });
  homes.push(platform);
  const { assetId, playbackId } = await platform.create(server.url("/long.mp4"));
  await platform.until(assetId, isReady);
  undisturbed = await fingerprint(`${platform.baseUrl}/${playbackId}.m3u8`);
});

afterAll(async () => {
  await Promise.all(homes.map((used) => used.stop()));
  await Promise.all(homes.map((used) => used.removeHome()));
  await server.stop();
});

const isInTheMiddle = ({ progress }: Media) =>
  progress?.stage === "encoding" && progress.percent > 35 && progress.percent < 95;
const created: { assetId: string; playbackId: string }[] = [];

let deleted = "";

async function encodeUntilTheMiddle(): Promise<{ assetId: string; playbackId: string }> {
  const asset = await platform.create(server.url("/long.mp4"));
  created.push(asset);
  await platform.until(asset.assetId, isInTheMiddle);
  return asset;
}

async function expectUndisturbed({ assetId, playbackId }: { assetId: string; playbackId: string }): Promise<void> {
  await platform.until(assetId, isReady);
  expect(await fingerprint(`${platform.baseUrl}/${playbackId}.m3u8`)).toEqual(undisturbed);
}

const requirePid = (pid: number | undefined): number => {
  if (pid === undefined) throw new Error("the part does not run");
  return pid;
};
const encoderJobs = () => childrenOf(requirePid(platform.pids.encoder()));
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

  test("the encoder does not answer for a minute", async () => {
    const asset = await encodeUntilTheMiddle();
    const frozen = [requirePid(platform.pids.encoder()), ...encoderJobs()];
    for (const pid of frozen) process.kill(pid, "SIGSTOP");
    await new Promise((done) => setTimeout(done, 60_000)); // the minute without an answer
    for (const pid of frozen) process.kill(pid, "SIGCONT");
    await expectUndisturbed(asset);
  });

  test("the source's server crashes midway and restarts", async () => {
    const asset = await platform.create(server.url("/slow.mp4"));
    created.push(asset);
    await platform.until(asset.assetId, ({ status }) => status === "Downloading");
    await server.stop();
    await platform.until(asset.assetId, ({ status }) => status === "Downloading");
    await server.start();
    await expectUndisturbed(asset);
  });
});

test("deleting in the middle of an encode ends playback immediately, stops the encoder and leaves no bytes", async () => {
  const asset = await encodeUntilTheMiddle();
  created.pop();
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

test("after all crashes each asset sent asset.ready once and R2 contains only playable objects", async () => {
  await platform.stop();
  await withState(platform.home, async (state) => {
    expect(deleted).not.toBe("");
    expect(await state.keys(`assets/${deleted}/`)).toEqual([]);
    const left = await state.rows("SELECT id FROM playback_ids WHERE target_id = ?", deleted);
    expect(left).toEqual([]);
    for (const { assetId } of created) {
      const events = await state.rows<{ type: string }>(
        "SELECT type FROM events WHERE object_id = ? ORDER BY created_at",
        assetId,
      );
      expect(events.map(({ type }) => type)).toEqual(["asset.created", "asset.ready"]);
      const played = Object.keys(undisturbed).map((path) => `assets/${assetId}/renditions/${path}`);
      const others = ["source", "passthrough/source-v", "passthrough/source-a1"].map(
        (name) => `assets/${assetId}/${name}`,
      );
      expect(await state.keys(`assets/${assetId}/`)).toEqual([...played, ...others].sort());
    }
  });
});
