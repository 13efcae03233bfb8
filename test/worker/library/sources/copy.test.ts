import { env } from "cloudflare:test";
import { beforeAll, describe, expect, test } from "vitest";
import { sourceKey } from "../../../../src/platform/storage/keys.ts";
import { abortCopy, nextCopyStep, type CopyEnv, type CopyStep } from "../../../../src/library/sources/copy-to-r2.ts";
import type { CopyState } from "../../../../src/library/sources/copy-state.ts";
import type { RemoteContent } from "../../../support/source-commands.ts";
import { firstDifference } from "../../../support/virtual-file.ts";
import { openSourceServer, type RemoteServer } from "./source-servers.ts";

const MIB = 1024 * 1024;
const copyEnv: CopyEnv = { MEDIA: env.MEDIA, ALLOW_PRIVATE_NETWORK: "true", MAX_SOURCE_BYTES: String(100 * MIB) };
/** No time budget, so each step copies the minimum of three parts. */
const leastSteps = { maxMs: 0, clock: Date.now };
let server: RemoteServer;
beforeAll(async () => {
  server = await openSourceServer();
});

const content = (sizeBytes: number, more: Partial<RemoteContent> = {}): RemoteContent => ({
  kind: "content",
  sizeBytes,
  etag: '"first"',
  ...more,
});

/** Serializes the state between steps as JSON, as a machine's storage does. */
function kept(state: CopyState): CopyState {
  const copy: CopyState = JSON.parse(JSON.stringify(state));
  return copy;
}

async function copyAll(assetId: string, url: string, from: CopyState | null = null): Promise<CopyStep[]> {
  const steps: CopyStep[] = [];
  let state = from;
  while (steps.at(-1)?.done !== true) {
    if (steps.length > 50) throw new Error("the copy does not end");
    const step = await nextCopyStep(copyEnv, { assetId, url }, state, leastSteps);
    steps.push(step);
    state = kept(step.state);
  }
  return steps;
}

/** Reads the copy back piece by piece and compares each byte with the source's. */
async function expectCopied(assetId: string, sizeBytes: number): Promise<void> {
  const object = await env.MEDIA.get(sourceKey(assetId));
  expect(object?.size).toBe(sizeBytes);
  let offset = 0;
  for await (const piece of object?.body ?? []) {
    expect(firstDifference(piece, offset)).toBeNull();
    offset += piece.byteLength;
  }
  expect(offset).toBe(sizeBytes);
}

describe("a copy has every byte of its source", () => {
  const sizes: [string, number, Partial<RemoteContent>][] = [
    ["a small file", 70_000, {}],
    ["one byte", 1, {}],
    ["a small file without ranges", 70_000, { ranges: false }],
    ["a small file of no announced length", 70_000, { ranges: false, announceLength: false }],
    ["exactly one part", 8 * MIB, {}],
    ["one byte more than a part", 8 * MIB + 1, {}],
    ["several parts", 33 * MIB + 12_345, {}],
    ["a server that answers less than it was asked for", 9 * MIB, { maxRangeBytes: 3 * MIB }],
    ["a small file of which each answer is a piece", 3 * MIB, { maxRangeBytes: MIB }],
    ["a large file without ranges, of no announced length", 17 * MIB + 5, { ranges: false, announceLength: false }],
  ];
  const expectWhole = async (name: string, sizeBytes: number, more: Partial<RemoteContent>) => {
    const url = await server.add(`/${encodeURIComponent(name)}`, content(sizeBytes, more));
    const steps = await copyAll(name, url);
    expect(steps.at(-1)).toMatchObject({ done: true, bytesCopied: sizeBytes, totalBytes: sizeBytes });
    await expectCopied(name, sizeBytes);
  };
  test.each(sizes)("%s", async (name, sizeBytes, more) => {
    await expectWhole(name, sizeBytes, more);
  });
  test.each([
    ["a large file without ranges", 17 * MIB + 5, { ranges: false }],
    ["whole parts of no announced length", 16 * MIB, { ranges: false, announceLength: false }],
  ])("%s", { tags: ["full"] }, async (name, sizeBytes, more) => {
    await expectWhole(name, sizeBytes, more);
  });
});

test("a small file takes one request, and each part of a large one takes one", async () => {
  await copyAll("requests-1", await server.add("/requests-1", content(1000)));
  expect(await server.requests("/requests-1")).toHaveLength(1);
  await copyAll("requests-5", await server.add("/requests-5", content(40 * MIB)));
  const ranges = (await server.requests("/requests-5")).map((request) => request.range);
  expect(ranges).toHaveLength(6);
  expect(ranges[0]).toBe("bytes=0-8388607"); // also determines the file's size
  const starts = ranges.slice(1).map((range) => Number(/\d+/.exec(range ?? "")?.[0]));
  expect(new Set(starts)).toEqual(new Set([0, 8, 16, 24, 32].map((mib) => mib * MIB)));
});

test("progress never decreases and ends at the file's size", async () => {
  const steps = await copyAll("progress", await server.add("/progress", content(33 * MIB)));
  const copied = steps.map((step) => step.bytesCopied);
  expect(copied).toEqual([0, 24 * MIB, 33 * MIB]);
});

test("a crash after any step, before its state is stored, loses only that step", async () => {
  const size = 33 * MIB;
  const url = await server.add("/crashes", content(size));
  const source = { assetId: "crashes", url };
  let state: CopyState | null = null;
  for (let done = false; !done;) {
    await nextCopyStep(copyEnv, source, state, leastSteps); // Its answer is lost.
    const again: CopyStep = await nextCopyStep(copyEnv, source, state, leastSteps);
    state = kept(again.state);
    done = again.done;
  }
  await expectCopied("crashes", size);
  // The first two steps and their requests were made twice. The repeated last step finds the copy complete.
  expect((await server.requests("/crashes")).length).toBeLessThanOrEqual(2 * (1 + 3 + 2));
});

test("parts of a stored state are not fetched again", async () => {
  const url = await server.add("/kept", content(33 * MIB));
  const source = { assetId: "kept", url };
  const opened = await nextCopyStep(copyEnv, source, null, leastSteps);
  const first = await nextCopyStep(copyEnv, source, kept(opened.state), leastSteps);
  const before = (await server.requests("/kept")).length;
  await copyAll("kept", url, kept(first.state));
  expect((await server.requests("/kept")).length - before).toBe(2);
});

test("further steps of a completed copy change nothing", async () => {
  const steps = await copyAll("again", await server.add("/again", content(9 * MIB)));
  const again = await nextCopyStep(
    copyEnv,
    { assetId: "again", url: "http://127.0.0.1:1/" },
    steps.at(-1)!.state,
    leastSteps,
  );
  expect(again).toMatchObject({ done: true, totalBytes: 9 * MIB });
});

describe("a server that crashes midway", () => {
  test("loses no copied part, and the copy continues when the server is back", async () => {
    const dying = await openSourceServer();
    const size = 33 * MIB;
    const url = await dying.add("/film", content(size));
    const source = { assetId: "dying", url };
    const opened = await nextCopyStep(copyEnv, source, null, leastSteps);
    const first = await nextCopyStep(copyEnv, source, kept(opened.state), leastSteps);
    await dying.stop();
    await expect(nextCopyStep(copyEnv, source, kept(first.state), leastSteps)).rejects.toMatchObject({
      code: "source_unreachable",
      retryable: true,
    });
    await dying.start();
    await copyAll("dying", url, kept(first.state));
    await expectCopied("dying", size);
  });

  test("in the middle of a part loses only that part", async () => {
    const size = 33 * MIB;
    const url = await server.add("/breaks", content(size));
    const source = { assetId: "breaks", url };
    const opened = await nextCopyStep(copyEnv, source, null, leastSteps);
    await server.add("/breaks", content(size, { resetAfterBytes: 5 * MIB }));
    await expect(nextCopyStep(copyEnv, source, kept(opened.state), leastSteps)).rejects.toMatchObject({
      code: "source_interrupted",
    });
    await server.add("/breaks", content(size));
    await copyAll("breaks", url, kept(opened.state));
    await expectCopied("breaks", size);
  });

  test("without support of ranges, the file is copied from its start", async () => {
    const size = 20 * MIB;
    const url = await server.add("/once", content(size, { ranges: false }));
    const source = { assetId: "once", url };
    const opened = await nextCopyStep(copyEnv, source, null, leastSteps);
    await server.add("/once", content(size, { ranges: false, hangAfterBytes: 17 * MIB }));
    const impatient = { ...leastSteps, limits: { idleMs: 300 } };
    await expect(nextCopyStep(copyEnv, source, kept(opened.state), impatient)).rejects.toMatchObject({
      code: "source_timed_out",
    });
    await server.add("/once", content(size, { ranges: false }));
    await copyAll("once", url, kept(opened.state));
    await expectCopied("once", size);
  });
});

describe("a file that changes midway", () => {
  test("is copied again from its start, once", async () => {
    const url = await server.add("/changes", content(30 * MIB));
    const source = { assetId: "changes", url };
    const opened = await nextCopyStep(copyEnv, source, null, leastSteps);
    const first = await nextCopyStep(copyEnv, source, kept(opened.state), leastSteps);
    await server.add("/changes", content(33 * MIB, { etag: '"second"' }));
    const restarted = await nextCopyStep(copyEnv, source, kept(first.state), leastSteps);
    expect(restarted).toMatchObject({ done: false, bytesCopied: 0, state: { restarts: 1 } });
    await copyAll("changes", url, kept(restarted.state));
    await expectCopied("changes", 33 * MIB);
  });

  test("fails the copy when it changes a second time, and leaves nothing in R2", async () => {
    const url = await server.add("/restless", content(30 * MIB));
    const source = { assetId: "restless", url };
    let step = await nextCopyStep(copyEnv, source, null, leastSteps);
    await server.add("/restless", content(30 * MIB, { etag: '"second"' }));
    step = await nextCopyStep(copyEnv, source, kept(step.state), leastSteps);
    step = await nextCopyStep(copyEnv, source, kept(step.state), leastSteps);
    await server.add("/restless", content(30 * MIB, { etag: '"third"' }));
    await expect(nextCopyStep(copyEnv, source, kept(step.state), leastSteps)).rejects.toMatchObject({
      code: "source_length_mismatch",
      retryable: false,
    });
    await expectNothingLeft("restless", step.state);
  });
});

describe("limits", () => {
  const limited = { ...copyEnv, MAX_SOURCE_BYTES: String(20 * MIB) };

  test.each([
    ["announced", {}],
    ["announced, without ranges", { ranges: false }],
  ])("a file above the limit is refused at once when %s", async (name, more) => {
    const url = await server.add(`/${encodeURIComponent(name)}`, content(20 * MIB + 1, more));
    const copying = nextCopyStep(limited, { assetId: name, url }, null, leastSteps);
    await expect(copying).rejects.toMatchObject({ code: "source_too_large" });
  });

  test("a file of unknown length is stopped at the limit, and leaves nothing in R2", async () => {
    const url = await server.add("/endless", content(100 * MIB, { ranges: false, announceLength: false }));
    const source = { assetId: "endless", url };
    const { state } = await nextCopyStep(limited, source, null, leastSteps);
    await expect(nextCopyStep(limited, source, kept(state), leastSteps)).rejects.toMatchObject({
      code: "source_too_large",
    });
    await expectNothingLeft("endless", state);
  });

  test("a file that is too slow to be streamed in one step is source_timed_out", async () => {
    const url = await server.add(
      "/slow",
      content(20 * MIB, { ranges: false, trickle: { bytes: 65_536, intervalMs: 20 } }),
    );
    const source = { assetId: "slow", url };
    const { state } = await nextCopyStep(copyEnv, source, null, leastSteps);
    const hurried = nextCopyStep(copyEnv, source, kept(state), { ...leastSteps, maxStreamMs: 100 });
    await expect(hurried).rejects.toMatchObject({ code: "source_timed_out", retryable: true });
  });
});

describe("an aborted copy leaves nothing in R2", () => {
  test("in its middle", async () => {
    const url = await server.add("/abort", content(33 * MIB));
    const source = { assetId: "abort", url };
    const opened = await nextCopyStep(copyEnv, source, null, leastSteps);
    const { state } = await nextCopyStep(copyEnv, source, kept(opened.state), leastSteps);
    expect(state.upload).not.toBeNull();
    await abortCopy(copyEnv, "abort", kept(state));
    await expectNothingLeft("abort", state);
  });

  test("after its end, and when repeated", async () => {
    const url = await server.add("/abort-late", content(9 * MIB));
    const steps = await copyAll("abort-late", url);
    await abortCopy(copyEnv, "abort-late", steps[0]!.state);
    await abortCopy(copyEnv, "abort-late", steps[0]!.state);
    expect(await env.MEDIA.head(sourceKey("abort-late"))).toBeNull();
  });
});

/** Checks that there is neither an object nor an incomplete upload. */
async function expectNothingLeft(assetId: string, state: CopyState): Promise<void> {
  expect(await env.MEDIA.head(sourceKey(assetId))).toBeNull();
  const upload = env.MEDIA.resumeMultipartUpload(sourceKey(assetId), state.upload?.uploadId ?? "");
  await expect(upload.uploadPart(1, new Uint8Array(10))).rejects.toThrow(/10024/);
}
