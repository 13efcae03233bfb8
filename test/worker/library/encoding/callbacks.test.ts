/** Callbacks of encoders, in any order and from any caller: the asset becomes ready once, or errored with the cause. */
import { env, runInDurableObject } from "cloudflare:test";
import { eq } from "drizzle-orm";
import { describe, expect, test, vi } from "vitest";
import type { AssetMachine } from "../../../../durable-objects/asset-machine.ts";
import type { JobResult } from "../../../../protocol/jobs.ts";
import { renditions } from "../../../../src/library/assets/tables.ts";
import { openDatabase } from "../../../../src/platform/database.ts";
import type { JobGrant } from "../../../../src/library/encoding/job-token.ts";
import { events } from "../../../../src/events/tables.ts";
import { callJob, useAssets } from "./job-calls.ts";
import { sourceFacts } from "../../../support/source-facts.ts";
import { send } from "../../workspace.ts";

const db = openDatabase(env.DB);
const { awaitingProbe, media, remove, until } = useAssets();

/** 10 s at 25 fps: two chunks, of one segment and of one and a half. */
const FACTS = sourceFacts(10_000);
const init = { bytes: 700, sha256: "a".repeat(64), codec: "avc1.640015" };
const segment = (durationTicks: number) => ({
  durationTicks,
  bytes: 1000,
  keyframes: [[0, 100]] as [number, number][],
});
const chunk = (frames: number[], sha256 = init.sha256): JobResult => ({
  kind: "video",
  renditions: [{ name: "v270", timescale: 25, init: { ...init, sha256 }, segments: frames.map(segment) }],
  frameCount: frames.reduce((sum, count) => sum + count, 0),
  encodeMs: 1,
  cpuMs: 1,
});
const sound: JobResult = {
  kind: "audio",
  rendition: {
    name: "a1",
    timescale: 48_000,
    init: { ...init, codec: "mp4a.40.2" },
    segments: [192_512, 192_512, 96_256].map((ticks) => ({ ...segment(ticks), keyframes: [] })),
  },
  channels: 2,
  encodeMs: 1,
  cpuMs: 1,
};
const RESULTS = {
  probe: { kind: "probe", facts: FACTS } as JobResult,
  "video.0": chunk([100]),
  "video.1": chunk([100, 50]),
  "audio.0": sound,
};
type Job = keyof typeof RESULTS;

const call = (
  assetId: string,
  job: string,
  action: string,
  body: unknown,
  grant: Partial<JobGrant> = {},
  secret = env.JOB_SECRET,
) => callJob({ assetId, job }, { method: "POST", path: action, body: JSON.stringify(body) }, grant, secret);
const put = (assetId: string, job: string, object: string, bytes: string, grant: Partial<JobGrant> = {}) =>
  callJob({ assetId, job }, { method: "PUT", path: `objects/${object}`, body: bytes }, grant);
const complete = (assetId: string, job: Job) => call(assetId, job, "complete", RESULTS[job]);

async function encoding(): Promise<string> {
  const id = await awaitingProbe();
  expect(await (await complete(id, "probe")).json()).toEqual({ accepted: true });
  await until(id, "Processing");
  return id;
}
const readyEvents = async (assetId: string) =>
  (await db.select().from(events).where(eq(events.objectId, assetId)))
    .filter(({ type }) => type !== "asset.created" && type !== "video.media.non_standard_format.detected") // before it is encoded
    .map(({ type }) => type);

describe("an asset becomes ready, once,", () => {
  const orders: [string, Job[]][] = [
    ["when its jobs end in order", ["video.0", "audio.0", "video.1"]],
    ["when they end in reverse", ["video.1", "audio.0", "video.0"]],
    [
      "when each is reported three times",
      ["audio.0", "audio.0", "video.1", "video.1", "video.0", "audio.0", "video.0", "video.1"],
    ],
  ];
  test.each(orders)("%s", async (_, order) => {
    const id = await encoding();
    for (const job of order) expect((await complete(id, job)).status).toBe(200);
    await until(id, "Ready");
    expect((await complete(id, "video.0")).status).toBe(200);
    expect(await readyEvents(id)).toEqual(["asset.ready"]);
    const rows = await db.select().from(renditions).where(eq(renditions.assetId, id));
    expect(rows.map(({ name, isWhole, segments }) => [name, isWhole, segments.durationTicks])).toEqual([
      ["a1", true, [192_512, 192_512, 96_256]],
      ["v270", true, [100, 100, 50]],
    ]);
  });

  test("when all are reported at once", async () => {
    const id = await encoding();
    await Promise.all(
      (["video.0", "video.1", "audio.0", "audio.0", "video.1"] as Job[]).map((job) => complete(id, job)),
    );
    await until(id, "Ready");
    expect(await readyEvents(id)).toEqual(["asset.ready"]);
  });
});

test("a growing asset lists the segments that both picture and sound have", async () => {
  const id = await encoding();
  await complete(id, "audio.0");
  await complete(id, "video.0");
  await vi.waitFor(async () => {
    const rows = await db.select().from(renditions).where(eq(renditions.assetId, id));
    expect(rows.map(({ name, isWhole, segments }) => [name, isWhole, segments.bytes.length])).toEqual([
      ["a1", false, 1],
      ["v270", false, 1],
    ]);
  });
});

test("sound that is still being encoded plays together with the first chunk", async () => {
  const id = await encoding();
  await complete(id, "video.0");
  const partial = {
    name: "a1",
    timescale: 48_000,
    init,
    channels: 2,
    firstIndex: 0,
    segments: [{ durationTicks: 192_512, bytes: 900, keyframes: [] }],
  };
  const heartbeat = { attempt: 1, state: "running", progress: 0.3, speed: 20, partial };
  expect(await (await call(id, "audio.0", "heartbeat", heartbeat)).json()).toEqual({ continue: true });
  await vi.waitFor(async () => {
    const rows = await db.select().from(renditions).where(eq(renditions.assetId, id));
    expect(rows.map(({ name, segments }) => [name, segments.bytes])).toEqual([
      ["a1", [900]],
      ["v270", [1000]],
    ]);
  });
});

test("a source that ends early is listed up to its end", async () => {
  const id = await encoding();
  await complete(id, "video.0");
  await call(id, "video.1", "complete", chunk([30]));
  await complete(id, "audio.0");
  await until(id, "Ready");
  const rows = await db.select().from(renditions).where(eq(renditions.assetId, id));
  expect(rows.map(({ segments }) => segments.durationTicks.length)).toEqual([2, 2]);
  expect((await media(id)).duration).toBe("00:00:05");
});

test("chunks with different init segments make the asset errored, with the fault `service`", async () => {
  const id = await encoding();
  await complete(id, "audio.0");
  await complete(id, "video.0");
  await call(id, "video.1", "complete", chunk([100, 50], "b".repeat(64)));
  await until(id, "Failed");
  expect((await media(id)).error).toMatchObject({ code: "encoding_inconsistent", fault: "service" });
});

test("a failure of the source makes the asset errored at once; a failure of the encoder is tried three times", async () => {
  const hopeless = await awaitingProbe();
  await call(hopeless, "probe", "fail", { code: "source_not_media", message: "It is a web page." });
  await until(hopeless, "Failed");
  expect((await media(hopeless)).error).toEqual({
    code: "source_not_media",
    message: "It is a web page.",
    fault: "source",
  });
  expect(await readyEvents(hopeless)).toEqual(["asset.errored"]);

  const unlucky = await awaitingProbe();
  for (const attempt of [1, 2])
    await call(unlucky, "probe", "fail", { code: "encoder_crashed", message: "It stopped." }, { attempt });
  expect((await media(unlucky)).status).toBe("Validating");
  await call(unlucky, "probe", "fail", { code: "encoder_crashed", message: "It stopped." }, { attempt: 1 }); // late: attempt 3 is under way
  expect((await media(unlucky)).status).toBe("Validating");
  await call(unlucky, "probe", "fail", { code: "encoder_crashed", message: "It stopped." }, { attempt: 3 });
  await until(unlucky, "Failed");
  expect((await media(unlucky)).error).toMatchObject({ code: "encoder_crashed", fault: "service" });
});

test("the heartbeat of a replaced attempt is answered `continue: false`", async () => {
  const id = await awaitingProbe();
  await call(id, "probe", "fail", { code: "encoder_crashed", message: "It stopped." });
  const heartbeat = { attempt: 1, state: "running", progress: 0.5, speed: 1 };
  expect(await (await call(id, "probe", "heartbeat", heartbeat)).json()).toEqual({ continue: false });
});

describe("a callback is refused, and changes nothing, when its token", () => {
  const cases: [string, number, (assetId: string) => Promise<Response>][] = [
    [
      "is forged",
      401,
      (id) => call(id, "probe", "complete", RESULTS.probe, {}, "another secret: as long as the right one"),
    ],
    ["has expired", 403, (id) => call(id, "probe", "complete", RESULTS.probe, { expiresAt: Date.now() - 1 })],
    [
      "is for another job",
      403,
      (id) => call(id, "probe", "complete", RESULTS.probe, { jobId: `${crypto.randomUUID()}.probe` }),
    ],
    [
      "is missing",
      401,
      (id) =>
        send(new Request(`http://sluice.test/internal/jobs/${id}.probe/complete`, { method: "POST", body: "{}" })),
    ],
  ];
  test.each(cases)("%s", async (_, status, attack) => {
    const id = await awaitingProbe();
    expect((await attack(id)).status).toBe(status);
    expect((await media(id)).status).toBe("Validating");
  });

  const outside: [string, string, string][] = [
    ["a segment of another chunk", "video.0", "v270/7.m4s"],
    ["another rendition", "video.0", "v1080/0.m4s"],
    ["a path upwards", "video.0", "v270/..%2f..%2fsource"],
    ["a file of another kind", "video.0", "v270/0.html"],
  ];
  test.each(outside)("does not cover %s", async (_, job, object) => {
    const id = await encoding();
    const answer = await put(id, job, object, "bytes", { renditions: ["v270"], segments: [0, 1] });
    expect([object, answer.status]).toEqual([object, 403]);
    expect((await env.MEDIA.list({ prefix: `assets/${id}/renditions` })).objects).toEqual([]);
  });
});

test("a deleted asset keeps no bytes, accepts none, and stops its encoder", async () => {
  const id = await encoding();
  expect((await put(id, "video.0", "v270/0.m4s", "bytes")).status).toBe(204);
  expect((await env.MEDIA.list({ prefix: `assets/${id}/` })).objects.map(({ key }) => key)).toEqual([
    `assets/${id}/renditions/v270/0.m4s`,
    `assets/${id}/source`,
  ]);
  expect((await remove(id)).status).toBe(200);
  expect((await put(id, "video.0", "v270/1.m4s", "bytes")).status).toBe(410);
  const heartbeat = { attempt: 1, state: "running", progress: 0.5, speed: 1 };
  expect(await (await call(id, "video.0", "heartbeat", heartbeat)).json()).toEqual({ continue: false });
  await vi.waitFor(async () => expect((await env.MEDIA.list({ prefix: `assets/${id}/` })).objects).toEqual([]), {
    timeout: 10_000,
  });
});

describe("an outbox written by another release", () => {
  const machineOf = (id: string) => env.ASSET_MACHINE.get(env.ASSET_MACHINE.idFromName(id));
  const write = (id: string, messages: [kind: string, payload: unknown][]) =>
    runInDurableObject(machineOf(id) as never, async (machine: AssetMachine, state) => {
      for (const [kind, payload] of messages)
        state.storage.sql.exec("INSERT INTO outbox (kind, payload) VALUES (?, ?)", kind, JSON.stringify(payload));
      state.storage.sql.exec("INSERT OR REPLACE INTO timers (name, due) VALUES ('outbox', 1)");
      await machine.alarm();
    });
  const kindsLeft = (id: string) =>
    runInDurableObject(machineOf(id), (_, { storage }) =>
      storage.sql
        .exec<{ kind: string }>("SELECT kind FROM outbox ORDER BY seq")
        .toArray()
        .map(({ kind }) => kind),
    );
  const rendition = (assetId: string, name: string) => ({
    assetId,
    name,
    kind: "video",
    codec: "avc1.640015",
    origin: "encoded",
    isWhole: true,
    timescale: 25,
    initBytes: 700,
    segments: { durationTicks: [100], bytes: [1000], keyframes: [] },
  });

  test("that put all renditions in one message is projected, with all later messages", async () => {
    const id = await encoding();
    await write(id, [
      ["renditions", [rendition(id, "v270"), rendition(id, "v180")]],
      ["facts", { stage: "done", status: "ready" }],
      ["event", { id: crypto.randomUUID(), type: "asset.ready", occurredAtMs: Date.now() }],
    ]);
    expect((await media(id)).status).toBe("Ready");
    const rows = await db.select().from(renditions).where(eq(renditions.assetId, id));
    expect(rows.map(({ name }) => name).toSorted()).toEqual(["v180", "v270"]);
    expect(await readyEvents(id)).toEqual(["asset.ready"]);
    expect(await kindsLeft(id)).toEqual([]);
  });

  test("with a kind that is unknown to this release keeps its messages", async () => {
    const id = await encoding();
    await write(id, [
      ["chapters", []],
      ["facts", { stage: "done", status: "ready" }],
    ]);
    expect(await kindsLeft(id)).toEqual(["chapters", "facts"]);
    expect((await media(id)).status).toBe("Processing");
  });
});
