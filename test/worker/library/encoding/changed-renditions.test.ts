/** D1 gets each rendition when it changes, and only then. */
import { env, runInDurableObject } from "cloudflare:test";
import { beforeAll, expect, test, vi } from "vitest";
import type { Heartbeat, JobResult, PartialRendition } from "../../../../protocol/jobs.ts";
import { assetMachine } from "../../../../src/library/assets/asset-calls.ts";
import { openSourceServer } from "../sources/source-servers.ts";
import { sourceFacts } from "../../../support/source-facts.ts";
import { type MediaAnswer, newWorkspace, type TestWorkspace, videoFrom } from "../../workspace.ts";

let workspace: TestWorkspace;
let sourceUrl: string;
beforeAll(async () => {
  workspace = await newWorkspace();
  const server = await openSourceServer();
  sourceUrl = await server.add("/film", { kind: "content", text: "not a standard source" });
  await env.DB.batch([
    env.DB.prepare("CREATE TABLE rendition_writes (asset_id TEXT, name TEXT, segments INTEGER)"),
    ...["INSERT", "UPDATE"].map((change) =>
      env.DB.prepare(
        `CREATE TRIGGER rendition_${change} AFTER ${change} ON renditions BEGIN
           INSERT INTO rendition_writes VALUES (new.asset_id, new.name, json_array_length(new.segments, '$.bytes'));
         END`,
      ),
    ),
  ]);
});

const init = { bytes: 700, sha256: "a".repeat(64), codec: "avc1.640015" };
const segments = (ticks: number[]) => ticks.map((durationTicks) => ({ durationTicks, bytes: 1000, keyframes: [] }));
const chunk = (frames: number[]): JobResult => ({
  kind: "video",
  renditions: [{ name: "v270", timescale: 25, init, segments: segments(frames) }],
  frameCount: frames.reduce((sum, count) => sum + count, 0),
  encodeMs: 1,
  cpuMs: 1,
});
const SOUND_TICKS = [192_512, 192_512, 96_256];
const sound = { name: "a1", timescale: 48_000, init: { ...init, codec: "mp4a.40.2" } };
/** All of 10 s at 25 fps, which is one chunk of a standard source. */
const picture = chunk([100, 100, 50]);
/** The plan of any other source: two chunks, of one segment and of one and a half. */
const RESULTS: Record<string, JobResult> = {
  probe: { kind: "probe", facts: sourceFacts(10_000) },
  "video.0": chunk([100]),
  "video.1": chunk([100, 50]),
  "audio.0": {
    kind: "audio",
    rendition: { ...sound, segments: segments(SOUND_TICKS) },
    channels: 2,
    encodeMs: 1,
    cpuMs: 1,
  },
};

const machineOf = (id: string) => env.ASSET_MACHINE.get(env.ASSET_MACHINE.idFromName(id));
const complete = (id: string, job: string, result = RESULTS[job]!) =>
  assetMachine(env, id).completeJob(`${id}.${job}`, { attempt: 1, result });
/** The encoder has stored the next segment of the sound. */
const reportSound = (id: string, index: number) => {
  const partial: PartialRendition = { ...sound, channels: 2, firstIndex: index, segments: segments([192_512]) };
  const heartbeat: Heartbeat = { attempt: 1, state: "running", progress: 0.3, speed: 20, partial };
  return assetMachine(env, id).renewJob(`${id}.audio.0`, heartbeat);
};

/** Waits until the machine's outbox is empty. @returns the rows of renditions written since the last call, and their segments */
async function takeWrites(id: string): Promise<[name: string, segments: number][]> {
  await vi.waitFor(
    () =>
      runInDurableObject(machineOf(id), (_, { storage }) =>
        expect(storage.sql.exec("SELECT 1 FROM outbox").toArray()).toEqual([]),
      ),
    { timeout: 10_000, interval: 20 },
  );
  const [rows] = await env.DB.batch<{ name: string; segments: number }>([
    env.DB.prepare("SELECT name, segments FROM rendition_writes WHERE asset_id = ? ORDER BY rowid").bind(id),
    env.DB.prepare("DELETE FROM rendition_writes WHERE asset_id = ?").bind(id),
  ]);
  return rows!.results.map(({ name, segments: count }) => [name, count]);
}

async function statusOf(id: string): Promise<string> {
  return (await (await workspace.request("GET", `/v1/on-demand/${id}`)).json<MediaAnswer>()).data.status;
}
const until = (id: string, status: string) =>
  vi.waitFor(async () => expect(await statusOf(id)).toBe(status), { timeout: 10_000, interval: 20 });

/** An asset whose jobs are planned. @param isStandard its source plays by passthrough */
async function encoding(isStandard: boolean): Promise<string> {
  const response = await workspace.request("POST", "/v1/on-demand", videoFrom(sourceUrl));
  const { id } = (await response.json<MediaAnswer>()).data;
  await until(id, "Validating");
  if (isStandard)
    await runInDurableObject(machineOf(id), (_, { storage }) =>
      storage.kv.put("edge", { isStandard, onLadderGrid: false, bitrateBps: 1 }),
    );
  await complete(id, "probe");
  await until(id, "Processing");
  return id;
}

test("a job that completes a rendition writes only that one, and the last commit repeats none", async () => {
  const id = await encoding(true);
  await complete(id, "video.0", picture);
  expect(await takeWrites(id)).toEqual([["v270", 3]]);
  await complete(id, "audio.0");
  await until(id, "Ready");
  expect(await takeWrites(id)).toEqual([["a1", 3]]);
});

test("growing renditions are written when all of them have the next segment", async () => {
  const id = await encoding(false);
  await complete(id, "video.0");
  await reportSound(id, 0);
  expect(await takeWrites(id)).toEqual([
    ["v270", 1],
    ["a1", 1],
  ]);
  await reportSound(id, 1);
  await reportSound(id, 2);
  expect(await takeWrites(id)).toEqual([]);
  await complete(id, "audio.0");
  expect(await takeWrites(id)).toEqual([]);
  await complete(id, "video.1");
  await until(id, "Ready");
  expect(await takeWrites(id)).toEqual([
    ["v270", 3],
    ["a1", 3],
  ]);
});

test("a machine of an earlier release, which has stored no digests, sends every rendition once", async () => {
  const id = await encoding(true);
  await complete(id, "video.0", picture);
  await takeWrites(id);
  await runInDurableObject(machineOf(id), (_, { storage }) => void storage.sql.exec("DELETE FROM sent_renditions"));
  await complete(id, "audio.0");
  await until(id, "Ready");
  expect(await takeWrites(id)).toEqual([
    ["v270", 3],
    ["a1", 3],
  ]);
});
