/** The writes that a job's token permits, and for how long: objects that viewers may have fetched never change. */
import { env, runInDurableObject } from "cloudflare:test";
import { expect, test } from "vitest";
import type { HeartbeatAnswer, JobResult } from "../../../../protocol/jobs.ts";
import { GRANT_MS, type JobGrant, readJobGrant } from "../../../../src/library/encoding/job-token.ts";
import { storeObject } from "../../../../src/library/encoding/store-object.ts";
import { callJob, useAssets } from "./job-calls.ts";
import { sourceFacts } from "../../../support/source-facts.ts";

const { awaitingProbe, until } = useAssets();

/** 4 s at 25 fps with sound: one chunk of one segment. */
const FACTS = sourceFacts(4000);
const init = { bytes: 4, sha256: "a".repeat(64), codec: "avc1.640015" };
const picture: JobResult = {
  kind: "video",
  renditions: [
    { name: "v270", timescale: 25, init, segments: [{ durationTicks: 100, bytes: 5, keyframes: [[0, 5]] }] },
  ],
  frameCount: 100,
  encodeMs: 1,
  cpuMs: 1,
};
const soundSegment = { durationTicks: 192_000, bytes: 5, keyframes: [] };
const sound: JobResult = {
  kind: "audio",
  rendition: { name: "a1", timescale: 48_000, init: { ...init, codec: "mp4a.40.2" }, segments: [soundSegment] },
  channels: 2,
  encodeMs: 1,
  cpuMs: 1,
};

const put = (assetId: string, job: string, object: string, bytes: string, attempt = 1) =>
  callJob({ assetId, job }, { method: "PUT", path: `objects/${object}`, body: bytes }, { attempt });
const post = (assetId: string, job: string, action: string, body: object, grant: Partial<JobGrant> = {}) =>
  callJob({ assetId, job }, { method: "POST", path: action, body: JSON.stringify(body) }, grant);
const stored = async (id: string, object: string) => (await env.MEDIA.get(`assets/${id}/renditions/${object}`))?.text();
const crash = (id: string, job: string, attempt: number) =>
  post(id, job, "fail", { code: "encoder_crashed", message: "It stopped." }, { attempt });

async function encoding(): Promise<string> {
  const id = await awaitingProbe();
  await post(id, "probe", "complete", { kind: "probe", facts: FACTS });
  await until(id, "Processing");
  return id;
}

test("no segment of a Ready media can be overwritten with the token of any of its jobs", async () => {
  const id = await encoding();
  await put(id, "video.0", "v270/0.m4s", "right");
  await put(id, "audio.0", "a1/0.m4s", "right");
  await post(id, "video.0", "complete", picture);
  await post(id, "audio.0", "complete", sound);
  await until(id, "Ready");
  for (const attempt of [1, 2, 3])
    for (const [job, object] of [
      ["video.0", "v270/0.m4s"],
      ["audio.0", "a1/0.m4s"],
      ["video.0", "v270/1.m4s"],
    ] as const)
      expect((await put(id, job, object, "wrong", attempt)).status).toBe(410);
  expect([await stored(id, "v270/0.m4s"), await stored(id, "a1/0.m4s"), await stored(id, "v270/1.m4s")]).toEqual([
    "right",
    "right",
    undefined,
  ]);
});

test("only the current attempt may write, complete or fail", async () => {
  const id = await encoding();
  await crash(id, "video.0", 1);
  for (const attempt of [1, 3]) {
    expect((await put(id, "video.0", "v270/0.m4s", "wrong", attempt)).status).toBe(410);
    expect(await (await post(id, "video.0", "complete", picture, { attempt })).json()).toEqual({ accepted: false });
  }
  expect(await stored(id, "v270/0.m4s")).toBeUndefined();
  expect((await put(id, "video.0", "v270/0.m4s", "right", 2)).status).toBe(204);
  expect(await (await post(id, "video.0", "complete", picture, { attempt: 2 })).json()).toEqual({ accepted: true });
});

test("an object that is sent again after a lost answer is accepted again", async () => {
  const id = await encoding();
  for (let n = 0; n < 3; n++) expect((await put(id, "video.0", "v270/0.m4s", "right")).status).toBe(204);
});

test("an unannounced object of an earlier attempt is replaced when the next attempt repeats its write", async () => {
  const id = await encoding();
  await put(id, "video.0", "v270/0.m4s", "left over");
  await crash(id, "video.0", 1);
  const first = await put(id, "video.0", "v270/0.m4s", "right", 2);
  expect([first.status, first.headers.get("retry-after")]).toEqual([503, "2"]);
  expect((await put(id, "video.0", "v270/0.m4s", "right", 2)).status).toBe(204);
  expect(await stored(id, "v270/0.m4s")).toBe("right");
});

test("a failure of R2 while such an object is deleted is answered 503, and does not reset the asset's machine", async () => {
  const id = await encoding();
  await put(id, "video.0", "v270/0.m4s", "left over");
  await crash(id, "video.0", 1);
  const machine = env.ASSET_MACHINE.get(env.ASSET_MACHINE.idFromName(id));
  const inMachine = async (look: (machine: { components: { env: typeof env }; mark?: boolean }) => unknown) =>
    await runInDurableObject(machine as never, look as never);
  await inMachine((machine) => {
    const MEDIA = new Proxy(env.MEDIA, {
      get: (bucket, name) =>
        name === "delete" ? () => Promise.reject(new Error("internal error (10001)")) : Reflect.get(bucket, name),
    });
    machine.components.env = { ...env, MEDIA };
    machine.mark = true;
  });
  for (let n = 0; n < 2; n++) expect((await put(id, "video.0", "v270/0.m4s", "right", 2)).status).toBe(503);
  expect([await inMachine(({ mark }) => mark), await stored(id, "v270/0.m4s")]).toEqual([true, "left over"]);
  await inMachine((machine) => void (machine.components.env = env));
  expect((await put(id, "video.0", "v270/0.m4s", "right", 2)).status).toBe(503); // deleted
  expect((await put(id, "video.0", "v270/0.m4s", "right", 2)).status).toBe(204);
});

test("an announced segment of growing sound, and the init segment of a rendition with a finished chunk, never change", async () => {
  const id = await encoding();
  await put(id, "audio.0", "a1/init.mp4", "init");
  await put(id, "audio.0", "a1/0.m4s", "right");
  const partial = { name: "a1", timescale: 48_000, init, channels: 2, firstIndex: 0, segments: [soundSegment] };
  await post(id, "audio.0", "heartbeat", { attempt: 1, state: "running", progress: 0.5, speed: 1, partial });
  await crash(id, "audio.0", 1);
  for (const object of ["a1/0.m4s", "a1/init.mp4"])
    expect((await put(id, "audio.0", object, "wrong", 2)).status).toBe(409);
  expect((await put(id, "audio.0", "a1/0.m4s", "right", 2)).status).toBe(204);
  expect([await stored(id, "a1/0.m4s"), await stored(id, "a1/init.mp4")]).toEqual(["right", "init"]);
});

test("a write that was accepted and stalls until its job is done overwrites nothing", async () => {
  const id = await encoding();
  const grant = { jobId: `${id}.video.0`, assetId: id, attempt: 1, renditions: ["v270"], expiresAt: 0 };
  const { readable, writable } = new FixedLengthStream(5);
  const object = { rendition: "v270", file: "0.m4s" };
  const stalled = storeObject(env, { ...grant, segments: [0, 1] }, object, { byteCount: 5, stream: readable });
  const settled = stalled.then(
    () => "stored",
    () => "refused",
  );
  const writer = writable.getWriter();
  await writer.write(new TextEncoder().encode("wr"));
  await put(id, "video.0", "v270/0.m4s", "right");
  await post(id, "video.0", "complete", picture);
  await writer.write(new TextEncoder().encode("ong"));
  await writer.close();
  expect(await settled).toBe("refused");
  expect(await stored(id, "v270/0.m4s")).toBe("right");
});

test("heartbeats renew a token of 15 minutes for the current attempt only", async () => {
  const id = await encoding();
  const beat = async (grant: Partial<JobGrant>) => {
    const body = { attempt: 1, state: "running", progress: 0.5, speed: 1 };
    return await (await post(id, "video.0", "heartbeat", body, grant)).json<HeartbeatAnswer>();
  };
  expect(await beat({})).toEqual({ continue: true });
  const scope = { renditions: ["v270"], segments: [0, 1] as [number, number] };
  const answer = await beat({ ...scope, expiresAt: Date.now() + GRANT_MS / 2 });
  const { token, expiresAt } = answer.renewed!;
  const grant = await readJobGrant(env.JOB_SECRET, token, `${id}.video.0`, Date.now());
  expect(grant).toEqual({ jobId: `${id}.video.0`, assetId: id, attempt: 1, ...scope, expiresAt });
  expect((expiresAt - Date.now()) / GRANT_MS).toBeCloseTo(1, 1);
  await crash(id, "video.0", 1);
  expect(await beat({ expiresAt: Date.now() + 60_000 })).toEqual({ continue: false });
});
