/** A server that sends too slowly, but is never silent, is abandoned after a bounded time and not earlier. */
import { env } from "cloudflare:test";
import { beforeAll, describe, expect, test } from "vitest";
import { probeAtEdge } from "../../../../src/library/assets/edge-probe.ts";
import { nextCopyStep } from "../../../../src/library/sources/copy-to-r2.ts";
import { openHttpSource } from "../../../../src/library/sources/http-range-reader.ts";
import { SOURCE_LIMITS, type SourceLimits } from "../../../../src/library/sources/limits.ts";
import { SourcePace } from "../../../../src/library/sources/source-pace.ts";
import { openSourceServer, type RemoteServer } from "./source-servers.ts";

let server: RemoteServer;
beforeAll(async () => {
  server = await openSourceServer();
});

const MIB = 1024 * 1024;
/** One byte at a time, for longer than any test runs. */
const TRICKLE = { bytes: 1, intervalMs: 50 };
const HURRIED = { graceMs: 300, minBytesPerSecond: 1000 };
const timedOut = { code: "source_timed_out", retryable: true };

describe("one byte at a time, never silent for long,", () => {
  test("ends the probe", async () => {
    const url = await server.add("/probe", { kind: "content", sizeBytes: MIB, trickle: TRICKLE });
    await expect(openHttpSource(env, url, { limits: HURRIED })).rejects.toMatchObject(timedOut);
  });

  test("ends the probe at its deadline, however many bytes arrived before", async () => {
    const url = await server.add("/head", { kind: "content", sizeBytes: MIB });
    const pace = new SourcePace(SOURCE_LIMITS, 500);
    const source = await openHttpSource(env, url, { firstBytes: 65_536, blockBytes: 65_536, pace });
    await server.add("/head", { kind: "content", sizeBytes: MIB, trickle: TRICKLE });
    await expect(source.read(500_000, 10_000)).rejects.toMatchObject(timedOut);
  });

  test("ends a part of the copy", async () => {
    const url = await server.add("/part", { kind: "content", sizeBytes: 9 * MIB });
    const budget = { maxMs: 0, clock: Date.now, limits: HURRIED };
    const { state } = await nextCopyStep(env, { assetId: "trickling-part", url }, null, budget);
    await server.add("/part", { kind: "content", sizeBytes: 9 * MIB, trickle: TRICKLE });
    await expect(nextCopyStep(env, { assetId: "trickling-part", url }, state, budget)).rejects.toMatchObject(timedOut);
  });

  test("ends a copy without ranges", async () => {
    const url = await server.add("/stream", { kind: "content", sizeBytes: 9 * MIB, ranges: false });
    const budget = { maxMs: 0, clock: Date.now, limits: HURRIED };
    const { state } = await nextCopyStep(env, { assetId: "trickling-stream", url }, null, budget);
    await server.add("/stream", { kind: "content", sizeBytes: 9 * MIB, ranges: false, trickle: TRICKLE });
    await expect(nextCopyStep(env, { assetId: "trickling-stream", url }, state, budget)).rejects.toMatchObject(
      timedOut,
    );
  });
});

describe("a source whose index does not arrive within the time limit of a probe", () => {
  const probe = async (limits: Partial<SourceLimits>) => {
    const sourceUrl = await server.add("/index", {
      kind: "content",
      sizeBytes: MIB,
      trickle: { bytes: 64, intervalMs: 20 },
    });
    const asset = {
      id: "slow",
      sourceUrl,
      clipStartMs: 0,
      clipEndMs: null,
      montage: null,
      watermark: null,
      maxResolution: "1080p",
    } as const;
    return await probeAtEdge(env, asset, { ...SOURCE_LIMITS, ...limits });
  };

  test("is copied when its server is fast enough", async () => {
    expect(await probe({ probeMs: 500 })).toMatchObject({
      isStandard: false,
      reason: "its index takes too long to read",
    });
  });

  test("fails when its server is too slow, or falls silent", async () => {
    await expect(probe({ graceMs: 300, minBytesPerSecond: MIB })).rejects.toMatchObject(timedOut);
    await expect(probe({ idleMs: 10 })).rejects.toMatchObject(timedOut); // long before the time limit
  });
});

test("a server that answers each range with one byte gets a bounded number of requests", async () => {
  const url = await server.add("/crumbs", { kind: "content", sizeBytes: MIB });
  const source = await openHttpSource(env, url, { firstBytes: 65_536, blockBytes: 65_536 });
  await server.add("/crumbs", { kind: "content", sizeBytes: MIB, maxRangeBytes: 1 });
  await expect(source.read(500_000, 10_000)).rejects.toMatchObject(timedOut);
  expect(source.requestCount).toBe(1 + SOURCE_LIMITS.maxAnswersPerRange);
});

describe("the pace of a source", () => {
  let nowMs: number;
  const paceOf = (deadlineMs: number) => {
    nowMs = 0;
    return new SourcePace(SOURCE_LIMITS, deadlineMs, () => nowMs);
  };
  const take = (pace: SourcePace, bytes: number, tookMs: number) =>
    pace.during(
      async () => {
        nowMs += tookMs;
        return bytes;
      },
      (received) => received,
    );

  test("allows 16 KiB/s without a time limit, and one byte every 5 s for 30 s", async () => {
    const steady = paceOf(Infinity);
    for (let second = 0; second < 100_000; second++) await take(steady, SOURCE_LIMITS.minBytesPerSecond, 1000);
    expect(steady.remainingMs).toBe(SOURCE_LIMITS.graceMs);
    const trickling = paceOf(Infinity);
    let drops = 0;
    for (; trickling.remainingMs > 0; drops++) await take(trickling, 1, 5000);
    expect(drops).toBe(7);
  });

  test("ends at the deadline of a part and of the probe, however fast the source is", async () => {
    for (const deadlineMs of [SOURCE_LIMITS.partMs, SOURCE_LIMITS.probeMs]) {
      const pace = paceOf(deadlineMs);
      await take(pace, 100 * 1024 * MIB, deadlineMs - 1);
      expect(pace.remainingMs).toBe(1);
      await take(pace, 1, 1);
      expect(pace.remainingMs).toBe(0);
    }
  });

  test("does not count the time between two reads", async () => {
    const pace = paceOf(Infinity);
    await take(pace, 1, 10);
    nowMs += 3600_000;
    await take(pace, 1, 10);
    expect(pace.remainingMs).toBeGreaterThan(SOURCE_LIMITS.graceMs - 21);
  });
});
