import { once } from "node:events";
import { afterEach, beforeEach, expect, test } from "vitest";
import { runInChild, startChild } from "../../encoder/jobs/child-process.ts";
import type { ProbeJob } from "../../protocol/jobs.ts";
import { CallbackServer, type Desk } from "../support/callback-server.ts";
import { makeSource } from "../support/sources.ts";

let callbacks: CallbackServer;
let desk: Desk;
let job: ProbeJob;
beforeEach(async () => {
  callbacks = new CallbackServer();
  await callbacks.listen();
  const opened = callbacks.open("job", await makeSource("mp4-fast-start"));
  desk = opened.desk;
  job = {
    jobId: "job",
    assetId: "asset",
    attempt: 1,
    kind: "probe",
    callbackUrl: opened.callbackUrl,
    token: opened.token,
    expiresAt: Date.now() + 60_000,
    leaseMs: 10_000,
    clip: { startMs: 0, endMs: null },
  };
});
afterEach(() => callbacks.close());

const GENEROUS = { silenceMs: 60_000, wallMs: 60_000, rssBytes: 2 ** 31 };
/** A child listener that ignores everything. */
const nobody = { onMove: () => {}, onStored: () => {} };
const nobodyStops = () => new AbortController().signal;

test("a child within its limits returns its result", async () => {
  expect(await runInChild(startChild(), job, GENEROUS, nobody, nobodyStops())).toMatchObject({
    type: "result",
    result: { kind: "probe" },
  });
});

/** Never answers, so reading the source makes no progress. */
const standStill = () => new Promise<undefined>(() => {});

test("a child without progress is killed", async () => {
  desk.intercept = standStill;
  const child = startChild();
  const outcome = await runInChild(child, job, { ...GENEROUS, silenceMs: 1000 }, nobody, nobodyStops());
  expect(outcome).toMatchObject({ type: "failure", code: "source_exceeds_limits" });
  expect(child.signalCode).toBe("SIGKILL");
});

test("a child that takes too long is killed", async () => {
  desk.intercept = standStill;
  const outcome = await runInChild(startChild(), job, { ...GENEROUS, wallMs: 1000 }, nobody, nobodyStops());
  expect(outcome).toMatchObject({ type: "failure", code: "source_exceeds_limits" });
});

test("a child that needs too much memory is killed", async () => {
  desk.intercept = standStill;
  const outcome = await runInChild(startChild(), job, { ...GENEROUS, rssBytes: 2 ** 20 }, nobody, nobodyStops());
  expect(outcome).toMatchObject({ type: "failure", code: "source_exceeds_limits" });
});

test("time without the platform does not count", async () => {
  let refusals = 0;
  desk.intercept = () => (refusals++ < 5 ? 503 : undefined); // pauses of 4.6 s at least
  const child = startChild();
  await once(child, "message"); // its start is no part of the job here, and takes seconds on a busy machine
  const outcome = await runInChild(child, job, { ...GENEROUS, wallMs: 4000, silenceMs: 4000 }, nobody, nobodyStops());
  expect(outcome).toMatchObject({ type: "result" });
  expect(refusals).toBeGreaterThan(5);
});

test("stopping a job ends its child, and a crash is reported with its cause", async () => {
  desk.intercept = standStill;
  const stop = new AbortController();
  const stopped = runInChild(startChild(), job, GENEROUS, nobody, stop.signal);
  stop.abort();
  expect(await stopped).toEqual({ type: "stopped" });
  const child = startChild();
  const crashed = runInChild(child, job, GENEROUS, nobody, nobodyStops());
  child.kill("SIGSEGV");
  expect(await crashed).toMatchObject({ type: "crashed", how: expect.stringContaining("SIGSEGV") });
});
