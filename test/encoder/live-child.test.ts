import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import {
  BROADCAST_LIMITS,
  type BroadcastLimits,
  type BroadcastReceiver,
  runBroadcast,
  startBroadcastChild,
} from "../../encoder/live/broadcast-process.ts";
import { broadcastOf, chunksOf, collector, fileOf, FLV, partsOf, PLAN } from "../support/live.ts";
import { decodePictures } from "../support/rendition.ts";

function start(bytes: AsyncIterable<Uint8Array>, limits: Partial<BroadcastLimits> = {}, plan = PLAN) {
  const child = startBroadcastChild();
  const stop = new AbortController();
  const { made, listener } = collector();
  const gaps: string[] = [];
  const receiver: BroadcastReceiver = {
    ...listener,
    onInit: async (...init) => listener.onInit(...init),
    onPart: async (...part) => listener.onPart(...part),
    onGap: async (rendition, msn) => void gaps.push(`${rendition} ${msn}`),
    onRejected: (rendition, error) => void gaps.push(`${rendition} rejected: ${String(error)}`),
  };
  const outcome = runBroadcast(child, bytes, plan, receiver, stop.signal, { ...BROADCAST_LIMITS, ...limits });
  return { child, stop, made, gaps, outcome, receiver };
}

/** Yields the input, then stays silent without ending. */
async function* openEnded(bytes: Buffer, onFed: () => void = () => {}): AsyncGenerator<Buffer> {
  yield* chunksOf(bytes);
  onFed();
  await new Promise(() => {});
}

test("a broadcast through a child process is complete, and the child's environment has no secret", async () => {
  const before = process.env["ENCODER_SECRET"];
  process.env["ENCODER_SECRET"] = "not for children";
  const fed = Promise.withResolvers<void>();
  const end = Promise.withResolvers<void>();
  const bytes = await broadcastOf(`$STRIP ${FLV}`);
  async function* source() {
    yield* chunksOf(bytes);
    fed.resolve();
    await end.promise;
  }
  const { child, made, gaps, outcome } = start(source());
  if (before === undefined) delete process.env["ENCODER_SECRET"];
  else process.env["ENCODER_SECRET"] = before;
  await fed.promise;
  expect(await readFile(`/proc/${child.pid}/environ`, "utf8")).not.toContain("SECRET");
  end.resolve();
  expect(await outcome).toEqual({ type: "ended", end: { nextMsn: 3, seconds: expect.any(Number) as number } });
  expect(gaps).toEqual([]);
  expect(made.started.length).toBe(1);
  expect(made.thumbnails.map(({ bytes: jpeg }) => jpeg.readUInt16BE(0))).toEqual([0xffd8, 0xffd8]);
  // The smallest rung, because a busy machine may have dropped the other one.
  expect((await decodePictures(fileOf(made, "v270"))).length).toBe(180);
});

test("input that is not media fails with a code and ends the child", async () => {
  const { outcome, child } = start(chunksOf(Buffer.from("hello ".repeat(10_000))));
  expect(await outcome).toMatchObject({ type: "failure", code: "source_not_media" });
  expect(child.exitCode).toBe(0);
});

test("a stop immediately ends a broadcast that waits for its source", async () => {
  const fed = Promise.withResolvers<void>();
  const { stop, outcome, child } = start(openEnded(await broadcastOf(`$STRIP ${FLV}`), fed.resolve));
  await fed.promise;
  stop.abort();
  expect(await outcome).toEqual({ type: "stopped" });
  expect(child.signalCode).toBe("SIGKILL");
});

test("a child that exits unexpectedly is reported as crashed", async () => {
  const fed = Promise.withResolvers<void>();
  const { outcome, child } = start(openEnded(await broadcastOf(`$STRIP ${FLV}`), fed.resolve));
  await fed.promise;
  child.kill("SIGSEGV");
  expect(await outcome).toMatchObject({ type: "crashed", how: expect.stringContaining("SIGSEGV") as string });
});

test("a hung child is killed; one that waits for its source is not", { tags: ["full"] }, async () => {
  const bytes = await broadcastOf(`$STRIP ${FLV}`);
  const fed = Promise.withResolvers<void>();
  const silenceMs = 3000;
  const { outcome, child, made } = start(openEnded(bytes, fed.resolve), { silenceMs });
  await fed.promise;
  const pulses = () => made.pulses.filter(({ isWaiting }) => isWaiting).length;
  await expect.poll(pulses, { timeout: 3 * silenceMs, interval: 200 }).toBeGreaterThanOrEqual(4); // longer than the limit
  expect(child.exitCode ?? child.signalCode).toBeNull();
  child.kill("SIGSTOP");
  expect(await outcome).toMatchObject({ type: "failure", code: "source_exceeds_limits" });
});

test("a child that takes too much memory is killed", { tags: ["full"] }, async () => {
  const { outcome } = start(openEnded(await broadcastOf(`$STRIP ${FLV}`)), { rssBytes: 40 << 20 });
  expect(await outcome).toEqual({
    type: "failure",
    code: "source_exceeds_limits",
    message: "The broadcast needs too much memory.",
  });
});

test("a stalled receiver loses whole segments, reported as gaps, and gets the end", async () => {
  const gate = Promise.withResolvers<void>();
  const bytes = await broadcastOf(`$STRIP ${FLV}`);
  const run = start(chunksOf(bytes), { outboxBytes: 150_000 });
  const { made, receiver } = run;
  receiver.onPart = async (facts, bytesOfPart) => {
    await gate.promise;
    made.parts.push({ facts, bytes: bytesOfPart, atMs: performance.now() });
  };
  run.child.once("exit", () => gate.resolve());
  expect(await run.outcome).toMatchObject({ type: "ended" });
  expect(run.gaps).toContain("v480 0");
  expect(partsOf(run.made, "v270").at(-1)!.facts).toMatchObject({ msn: 2, isLast: true });
});
