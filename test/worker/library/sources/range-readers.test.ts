import { env } from "cloudflare:test";
import { beforeAll, describe, expect, test } from "vitest";
import { openHttpSource, RangesUnsupported } from "../../../../src/library/sources/http-range-reader.ts";
import type { RangeReader } from "../../../../src/media/mp4/range-reader.ts";
import { r2RangeReader } from "../../../../src/library/sources/r2-range-reader.ts";
import { fillVirtual, firstDifference } from "../../../support/virtual-file.ts";
import { openSourceServer, type RemoteServer } from "./source-servers.ts";

const sourceEnv = { ALLOW_PRIVATE_NETWORK: "true", MAX_SOURCE_BYTES: "1000000000000" };
const KIB = 1024;
const SIZE = 3000 * KIB + 17;
let server: RemoteServer;
beforeAll(async () => {
  server = await openSourceServer();
});

/** The reads that did not return exactly the existing bytes; [offset, requested length]. */
async function wrongReads(reader: RangeReader, size: number): Promise<[number, number][]> {
  const half = Math.floor(size / 2);
  const reads: [number, number][] = [
    ...([
      [0, 1],
      [0, 16],
      [size - 1, 1],
      [511 * KIB, 2 * KIB],
      [half - 999, half],
      [size - 100, 100],
      [0, size],
    ] as const),
    ...([
      [size - 10, 100],
      [size, 10],
      [size + 1000, 10],
      [5, 0],
    ] as const), // beyond the end, and empty
  ].map(([offset, length]) => [offset, length]);
  const wrong: [number, number][] = [];
  for (const [offset, length] of reads) {
    const bytes = await reader.read(offset, length);
    const isWhole = bytes.byteLength === Math.max(0, Math.min(length, size - offset));
    if (!isWhole || firstDifference(bytes, offset) !== null) wrong.push([offset, length]);
  }
  return wrong;
}

describe("every range is read completely, and is shorter only at the end of the file", () => {
  test("over HTTP", async () => {
    const url = await server.add("/reads", { kind: "content", sizeBytes: SIZE, etag: '"a"' });
    expect(await wrongReads(await openHttpSource(sourceEnv, url), SIZE)).toEqual([]);
  });

  test("over HTTP, from a server that sends less than the requested range", async () => {
    const url = await server.add("/morsels", { kind: "content", sizeBytes: SIZE, maxRangeBytes: 100_000 });
    expect(await wrongReads(await openHttpSource(sourceEnv, url), SIZE)).toEqual([]);
  });

  test("over HTTP without ranges, when the file is small", async () => {
    const size = 520 * KIB;
    const url = await server.add("/small", { kind: "content", sizeBytes: size, ranges: false });
    expect(await wrongReads(await openHttpSource(sourceEnv, url, { firstBytes: 1024 * KIB }), size)).toEqual([]);
  });

  test("over HTTP without ranges and without a length, when the file is small", async () => {
    const behaviour = { kind: "content", sizeBytes: 520 * KIB, ranges: false, announceLength: false } as const;
    const url = await server.add("/small-chunked", behaviour);
    expect(await wrongReads(await openHttpSource(sourceEnv, url, { firstBytes: 1024 * KIB }), 520 * KIB)).toEqual([]);
  });

  test("from R2", async () => {
    const bytes = new Uint8Array(SIZE);
    fillVirtual(bytes, 0);
    await env.MEDIA.put("reads", bytes);
    const reader = await r2RangeReader(env.MEDIA, "reads");
    expect(await wrongReads(reader!, SIZE)).toEqual([]);
  });
});

describe("requests", () => {
  test("a file within the first block takes one", async () => {
    const url = await server.add("/one", { kind: "content", sizeBytes: 500 * KIB });
    const source = await openHttpSource(sourceEnv, url);
    await source.read(0, 500 * KIB);
    await source.read(400 * KIB, 1000);
    expect(source.requestCount).toBe(1);
    const requests = await server.requests("/one");
    expect(requests.map((request) => request.range)).toEqual(["bytes=0-524287"]);
    expect(requests[0]?.headers["accept-encoding"]).toBe("identity");
    expect(requests[0]?.headers["user-agent"]).toMatch(/^Sluice/);
  });

  test("a small read at the end of a large file takes one more, and an adjacent one takes none", async () => {
    const url = await server.add("/two", { kind: "content", sizeBytes: 5_000_000_000 });
    const source = await openHttpSource(sourceEnv, url);
    await source.read(4_999_900_000, 1000);
    await source.read(4_999_901_000, 1000);
    expect(source.requestCount).toBe(2);
  });

  test("a long read takes one, however many readers want it at once", async () => {
    const url = await server.add("/shared", { kind: "content", sizeBytes: 8000 * KIB });
    const source = await openHttpSource(sourceEnv, url);
    const reads = await Promise.all([1, 2, 3].map((shift) => source.read(2000 * KIB + shift, 3000 * KIB)));
    expect(reads.map((bytes, i) => firstDifference(bytes, 2000 * KIB + i + 1))).toEqual([null, null, null]);
    expect(source.requestCount).toBe(2);
  });
});

test("the ETag, Last-Modified and Content-Type of the file are passed on", async () => {
  const lastModified = "Fri, 20 Nov 2026 12:00:00 GMT";
  const behaviour = { kind: "content", sizeBytes: 1000, etag: '"v1"', lastModified, contentType: "video/mp4" } as const;
  const source = await openHttpSource(sourceEnv, await server.add("/facts", behaviour));
  expect(source).toMatchObject({
    size: 1000,
    supportsRanges: true,
    etag: '"v1"',
    lastModified,
    contentType: "video/mp4",
  });
});

test("without ranges, the beginning of a large file can be read and the rest cannot", async () => {
  const url = await server.add("/start-only", { kind: "content", sizeBytes: SIZE, ranges: false });
  const source = await openHttpSource(sourceEnv, url);
  expect(source).toMatchObject({ supportsRanges: false, size: SIZE });
  expect(firstDifference(await source.read(0, 512 * KIB))).toBeNull();
  await expect(source.read(512 * KIB, 1)).rejects.toBeInstanceOf(RangesUnsupported);
});

test("a connection that breaks once is retried", async () => {
  const url = await server.add("/once", { kind: "content", sizeBytes: SIZE });
  const source = await openHttpSource(sourceEnv, url);
  await server.add("/once", { kind: "content", sizeBytes: SIZE, resetAfterBytes: 1000 });
  await expect(source.read(600 * KIB, 1000)).rejects.toMatchObject({ code: "source_interrupted" });
  await server.add("/once", { kind: "content", sizeBytes: SIZE });
  expect(firstDifference(await source.read(600 * KIB, 1000), 600 * KIB)).toBeNull();
});

describe("an object of R2", () => {
  test("that does not exist is null", async () => {
    expect(await r2RangeReader(env.MEDIA, "nothing")).toBeNull();
  });

  test("that was replaced after it was opened is refused", async () => {
    await env.MEDIA.put("replaced", new Uint8Array(100));
    const reader = await r2RangeReader(env.MEDIA, "replaced");
    await env.MEDIA.put("replaced", new Uint8Array(100).fill(1));
    await expect(reader!.read(0, 10)).rejects.toMatchObject({ code: "source_length_mismatch" });
  });
});
