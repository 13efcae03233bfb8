import { once } from "node:events";
import { readdir, readFile } from "node:fs/promises";
import { createServer } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { VideoJob } from "../../protocol/jobs.ts";
import type { Desk } from "../support/callback-server.ts";
import { TestEncoder } from "../support/encoder.ts";
import { gridFor, rungFor } from "../support/rendition.ts";
import { makeSource } from "../support/sources.ts";

let encoder: TestEncoder;
let path: string;
let chunk: Pick<VideoJob, "kind" | "video" | "grid" | "firstFrame" | "frameCount" | "firstSegment" | "rungs">;
beforeAll(async () => {
  encoder = await TestEncoder.start();
  path = await makeSource("mp4-fast-start");
  const facts = await encoder.probe(path);
  chunk = {
    kind: "video",
    video: facts.video!,
    grid: gridFor(facts),
    firstFrame: 30,
    frameCount: 120,
    firstSegment: 1,
    rungs: [rungFor(160, 120, "a"), rungFor(80, 60, "b")],
  };
});
afterAll(() => encoder.stop());

async function eventually(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await new Promise((resolve) => setTimeout(resolve, 5));
}

/** Breaks this many connections, one after another, then closes the port. */
async function brokenConnections(port: number, count: number): Promise<void> {
  const server = createServer((socket) => socket.destroy());
  server.listen(port, "127.0.0.1");
  for (let broken = 0; broken < count; broken++) await once(server, "connection");
  await new Promise((resolve) => server.close(resolve));
}

/** The encoder's children, the busiest first. */
async function childPids(): Promise<number[]> {
  const stats = await Promise.all(
    (await readdir("/proc"))
      .filter((name) => /^\d+$/.test(name))
      .map((pid) => readFile(`/proc/${pid}/stat`, "utf8").catch(() => "")),
  );
  const fields = stats.filter(Boolean).map((line) => [
    Number.parseInt(line, 10),
    ...line
      .slice(line.lastIndexOf(")") + 2)
      .split(" ")
      .map(Number),
  ]);
  return fields
    .filter(([, , parent]) => parent === encoder.process.pid)
    .sort((a, b) => b[12]! - a[12]!)
    .map(([pid]) => pid!);
}

/** Submits the chunk; its uploads wait forever once three are stored. */
async function submitHeld(): Promise<Desk> {
  const { desk, job } = encoder.prepare(path, chunk);
  desk.intercept = (method) => (method === "PUT" && desk.objects.size > 2 ? new Promise(() => {}) : undefined);
  expect((await encoder.request("POST", "/jobs", job)).status).toBe(202);
  await eventually(() => desk.objects.size > 2);
  return desk;
}

const bytesOf = ({ objects }: Desk) => [...objects].map(([key, bytes]) => `${key} ${bytes.toString("base64")}`).sort();

test("the same job gives identical bytes, also under load and with another seek", async () => {
  const first = await encoder.run(path, chunk);
  const second = await encoder.run(path, chunk);
  expect(bytesOf(second.desk)).toEqual(bytesOf(first.desk));
  expect(first.desk.objects.size).toBe(2 * (1 + 4));
});

test("a chunk has the same segments as two chunks of half its length", async () => {
  const whole = await encoder.run(path, chunk);
  const halves = [
    await encoder.run(path, { ...chunk, frameCount: 60 }),
    await encoder.run(path, { ...chunk, firstFrame: 90, frameCount: 60, firstSegment: 3 }),
  ];
  const names = halves.flatMap(({ desk }) => [...desk.objects.keys()]);
  expect(new Set(names)).toEqual(new Set(whole.desk.objects.keys()));
  const inits = [whole, ...halves].map(({ desk }) => desk.objects.get("a/init.mp4")!.toString("base64"));
  expect(new Set(inits).size).toBe(1);
});

test("a killed child is reported as encoder_crashed, and the next job completes", async () => {
  const desk = await submitHeld();
  process.kill((await childPids())[0]!, "SIGKILL");
  expect(await desk.ending).toMatchObject({ failure: { code: "encoder_crashed" } });
  expect((await encoder.health()).status).toBe("ok");
  const next = await encoder.run(path, chunk);
  expect(next.ending).toHaveProperty("result");
});

test("a temporarily unreachable platform only delays a job", async () => {
  const undisturbed = await encoder.run(path, chunk);
  const desk = await submitHeld();
  const { port } = encoder.callbacks;
  await encoder.callbacks.close();
  desk.intercept = () => undefined;
  await brokenConnections(port, 4);
  await encoder.callbacks.listen(port);
  expect(await desk.ending).toHaveProperty("result");
  expect(bytesOf(desk)).toEqual(bytesOf(undisturbed.desk));
});

test("5xx and 429 are retried; the job completes only when every object is stored", async () => {
  const { job, desk } = encoder.prepare(path, chunk);
  let refusals = 0;
  let objectsAtCompletion = 0;
  desk.intercept = (method, target) => {
    if (target === "complete") objectsAtCompletion = desk.objects.size;
    if (method === "PUT" && refusals < 6) return refusals++ % 2 === 0 ? 503 : 429;
    return undefined;
  };
  expect((await encoder.request("POST", "/jobs", job)).status).toBe(202);
  expect(await desk.ending).toHaveProperty("result");
  expect(refusals).toBe(6);
  expect(objectsAtCompletion).toBe(2 * (1 + 4));
});

test("a result that the Worker does not understand fails the job at once, and the log has what the Worker said", async () => {
  const { job, desk } = encoder.prepare(path, { kind: "probe" });
  desk.intercept = (_, target) => (target === "complete" ? 422 : undefined);
  desk.refusal = '{"error":{"code":422,"fields":[{"field":"source.durationMs"}]}}';
  expect((await encoder.request("POST", "/jobs", job)).status).toBe(202);
  expect(await desk.ending).toMatchObject({ failure: { code: "encoder_failed" } });
  await eventually(() => encoder.logs.some(({ event }) => event === "job.not_reported"));
  expect(encoder.logs).toContainEqual(
    expect.objectContaining({
      level: "error",
      event: "job.not_reported",
      jobId: job.jobId,
      reason: `the platform answered 422 to POST complete: ${desk.refusal}`,
    }),
  );
});

test("a redirect is not followed, but retried like an absent platform", async () => {
  const { job, desk } = encoder.prepare(path, { kind: "probe" });
  let redirects = 0;
  desk.intercept = (_, target) => (target === "source" && redirects++ === 0 ? 307 : undefined);
  expect((await encoder.request("POST", "/jobs", job)).status).toBe(202);
  expect(await desk.ending).toHaveProperty("result");
  expect(redirects).toBeGreaterThan(1);
});

test("a refused token stops the job immediately, without a report", async () => {
  const { desk, job } = await encoder.submit(path, chunk);
  desk.intercept = () => 401;
  await eventually(async () => (await encoder.status(job.jobId)) === undefined);
  desk.intercept = () => undefined;
  const later = await encoder.run(path, { kind: "probe" });
  expect(await Promise.race([desk.ending, Promise.resolve(later.ending)])).toBe(later.ending);
});
