import { once } from "node:events";
import { afterEach, expect, test } from "vitest";
import type { VideoJob } from "../../protocol/jobs.ts";
import { TestEncoder } from "../support/encoder.ts";
import { gridFor, rungFor } from "../support/rendition.ts";
import { makeSource } from "../support/sources.ts";

let encoder: TestEncoder;
afterEach(() => encoder.stop());

type Chunk = Pick<VideoJob, "kind" | "video" | "grid" | "firstFrame" | "frameCount" | "firstSegment" | "rungs"> &
  Partial<Pick<VideoJob, "leaseMs">>;

/** Five segments in three rungs: more uploads than a job has under way at once. */
async function longJob(path: string): Promise<Chunk> {
  const facts = await encoder.probe(path);
  const grid = gridFor(facts);
  const rungs = ["a", "b", "c"].map((name) => rungFor(64, 48, name));
  return { kind: "video", video: facts.video!, grid, firstFrame: 0, frameCount: 150, firstSegment: 0, rungs };
}

/** Submits a job that runs until `release`: uploads of segments wait for it, except for those of the first segment. */
async function submitHeld(path: string, wanted: Chunk) {
  const { promise: released, resolve: release } = Promise.withResolvers<undefined>();
  const prepared = encoder.prepare(path, wanted);
  prepared.desk.intercept = (method, target) => (method === "PUT" && /[1-9]\.m4s$/.test(target) ? released : undefined);
  expect((await encoder.request("POST", "/jobs", prepared.job)).status).toBe(202);
  return { ...prepared, release: () => release(undefined) };
}

/** Resolves when the condition holds; the test's own time limit ends the waiting. */
async function eventually(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await new Promise((resolve) => setTimeout(resolve, 20));
}

test("every request requires the secret, and the body must be a valid job", async () => {
  encoder = await TestEncoder.start();
  expect((await encoder.request("GET", "/health", undefined, "wrong")).status).toBe(401);
  expect((await encoder.request("POST", "/jobs", {}, "")).status).toBe(401);
  const { job } = encoder.prepare(await makeSource("mp4-fast-start"), { kind: "probe" });
  expect((await encoder.request("POST", "/jobs", { ...job, leaseMs: "soon" })).status).toBe(422);
  expect((await encoder.request("POST", "/jobs", { ...job, kind: "paint" })).status).toBe(422);
  expect((await encoder.request("GET", "/jobs/unknown")).status).toBe(404);
  expect((await encoder.request("DELETE", "/jobs/unknown")).status).toBe(204);
  expect(await encoder.health()).toEqual({ status: "ok", running: 0, queued: 0, capacity: 1 });
});

test("a known job is accepted once; jobs beyond the queue are refused", async () => {
  encoder = await TestEncoder.start({ ENCODER_QUEUE: "1" });
  const path = await makeSource("mp4-fast-start");
  const long = await longJob(path);
  const running = await submitHeld(path, long);
  await encoder.submit(path, long);
  expect((await encoder.request("POST", "/jobs", running.job)).status).toBe(200);
  const third = encoder.prepare(path, long);
  expect((await encoder.request("POST", "/jobs", third.job)).status).toBe(429);
  expect(await encoder.health()).toMatchObject({ running: 1, queued: 1 });
  expect(await encoder.status(running.job.jobId)).toMatchObject({
    jobId: running.job.jobId,
    kind: "video",
    attempt: 1,
    state: "running",
  });
});

test("jobs that delay the first picture have priority", async () => {
  encoder = await TestEncoder.start();
  const path = await makeSource("mp4-fast-start");
  const long = await longJob(path);
  const running = await submitHeld(path, long);
  const later = await encoder.submit(path, {
    ...long,
    firstFrame: 60,
    frameCount: 30,
    firstSegment: 2,
    rungs: [rungFor(64, 48)],
  });
  const first = await encoder.submit(path, { ...long, frameCount: 30, rungs: [rungFor(64, 48)] });
  const probe = await encoder.submit(path, { kind: "probe" });
  await probe.desk.ending; // the long job still runs
  running.release();
  await Promise.all([later, first].map(({ desk }) => desk.ending));
  const order = encoder.logs.filter(({ event }) => event === "job.started").map(({ jobId }) => jobId);
  // A probe runs alongside the long job; the first chunk is started before the later one.
  const places = [probe, first, later].map(({ job }) => order.indexOf(job.jobId));
  expect(places).toEqual(places.toSorted((a, b) => a - b));
  const ended = encoder.logs.filter(({ event }) => event === "job.ended").map(({ jobId }) => jobId);
  expect(ended.indexOf(probe.job.jobId)).toBeLessThan(ended.indexOf(running.job.jobId));
});

test("heartbeats report progress while a job is queued and running", async () => {
  encoder = await TestEncoder.start();
  const path = await makeSource("mp4-fast-start");
  const long = { ...(await longJob(path)), leaseMs: 2500 };
  const running = await submitHeld(path, long);
  const waiting = await encoder.submit(path, long);
  await eventually(
    () =>
      running.desk.heartbeats.some(({ progress, speed }) => progress > 0 && speed > 0) &&
      waiting.desk.heartbeats.length > 0,
  );
  expect(running.desk.heartbeats.at(-1)).toMatchObject({ attempt: 1, state: "running" });
  expect(waiting.desk.heartbeats[0]).toMatchObject({ attempt: 1, state: "queued", progress: 0 });
});

test("a cancelled job is stopped without a report", async () => {
  encoder = await TestEncoder.start();
  const path = await makeSource("mp4-fast-start");
  const long = { ...(await longJob(path)), leaseMs: 2500 };
  const unwanted = await submitHeld(path, long);
  unwanted.desk.isWanted = false;
  const refused = await encoder.submit(path, long);
  refused.desk.intercept = (_, target) => (target === "heartbeat" ? 410 : undefined);
  await eventually(
    async () =>
      (await encoder.status(unwanted.job.jobId)) === undefined &&
      (await encoder.status(refused.job.jobId)) === undefined,
  );
  const deleted = await submitHeld(path, long);
  await eventually(() => deleted.desk.objects.size > 0);
  expect((await encoder.request("DELETE", `/jobs/${deleted.job.jobId}`)).status).toBe(204);
  await eventually(async () => (await encoder.health()).running === 0);

  const later = await encoder.submit(path, { kind: "probe" });
  await later.desk.ending;
  const ended = await Promise.race(
    [unwanted, refused, deleted].map(({ desk }) => desk.ending).concat(later.desk.ending),
  );
  expect(ended).toBe(await later.desk.ending);
});

test("SIGTERM returns running and queued jobs and ends the process within seconds", async () => {
  encoder = await TestEncoder.start();
  const path = await makeSource("mp4-fast-start");
  const long = await longJob(path);
  const jobs = [await submitHeld(path, long), await encoder.submit(path, long)];
  await eventually(() => jobs[0]!.desk.objects.size > 0);
  const startedMs = performance.now();
  encoder.process.kill("SIGTERM");
  await once(encoder.process, "exit");
  expect(performance.now() - startedMs).toBeLessThan(5000);
  for (const { desk } of jobs) expect(await desk.ending).toMatchObject({ failure: { code: "encoder_shutdown" } });
});

test("neither tokens nor URLs are logged", async () => {
  encoder = await TestEncoder.start();
  const { job } = await encoder.submit(await makeSource("html"), { kind: "probe" });
  await eventually(() => encoder.logs.some(({ event }) => event === "job.ended"));
  const text = JSON.stringify(encoder.logs);
  expect(text).not.toContain(job.token);
  expect(text).not.toContain(job.callbackUrl);
});

test("a job continues with tokens renewed by heartbeats, also in its child process", async () => {
  encoder = await TestEncoder.start();
  const path = await makeSource("mp4-fast-start");
  const { desk, job } = encoder.prepare(path, { ...(await longJob(path)), leaseMs: 2500 });
  desk.renewsTokens = true;
  // The uploads behind the first ones need a token that the child was given while it ran.
  desk.intercept = async (method) => {
    if (method === "PUT") await eventually(() => desk.renewals > 1);
    return undefined;
  };
  expect((await encoder.request("POST", "/jobs", job)).status).toBe(202);
  expect(await desk.ending).toMatchObject({ result: { kind: "video" } });
  expect(desk.renewals).toBeGreaterThan(1);
});

test("an object announced with other bytes is kept, and the job continues", async () => {
  encoder = await TestEncoder.start();
  const path = await makeSource("mp4-fast-start");
  const { desk } = await encoder.submit(path, { ...(await longJob(path)), rungs: [rungFor(64, 48, "a")] });
  let conflicts = 0;
  desk.intercept = (method, object) =>
    method === "PUT" && object.endsWith("a/0.m4s") && conflicts++ < 9 ? 409 : undefined;
  expect(await desk.ending).toMatchObject({ result: { kind: "video" } });
  expect(conflicts).toBe(1);
});
