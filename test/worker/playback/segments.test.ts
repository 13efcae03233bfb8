import { env } from "cloudflare:test";
import { beforeAll, describe, expect, test } from "vitest";
import { sourceKey } from "../../../src/platform/storage/keys.ts";
import { firstDifference, fillVirtual } from "../../support/virtual-file.ts";
import { openSourceServer } from "../library/sources/source-servers.ts";
import { addPassthrough, addRung, get, newAsset } from "./playable.ts";

describe("a segment of the ladder", () => {
  let base: string;
  let assetId: string;

  beforeAll(async () => {
    const asset = await newAsset({ status: "ready" });
    assetId = asset.assetId;
    base = `/${asset.playbackId}/v720`;
    await addRung(assetId);
    await addRung(assetId, "a1", { kind: "audio" });
  });

  test("is sent whole, immutable, to any origin", async () => {
    const answer = await get(`${base}/1.m4s`);
    expect(answer.status).toBe(200);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      "content-type": "video/mp4",
      "content-length": "3000",
      "accept-ranges": "bytes",
      "cache-control": "public, max-age=31536000, immutable",
      "access-control-allow-origin": "*",
    });
    expect(new Uint8Array(await answer.arrayBuffer())).toEqual(new Uint8Array(3000).fill(2));
    expect((await get(`${base.replace("v720", "a1")}/init.mp4`)).headers.get("content-type")).toBe("audio/mp4");
  });

  test.each([
    ["bytes=0-9", 206, "bytes 0-9/3000", 10],
    ["bytes=2990-", 206, "bytes 2990-2999/3000", 10],
    ["bytes=-1", 206, "bytes 2999-2999/3000", 1],
    ["bytes=0-99999", 206, "bytes 0-2999/3000", 3000],
    ["bytes=0-1,5-6", 200, null, 3000],
  ])("asked for %s answers %i %s", async (range, status, contentRange, length) => {
    const answer = await get(`${base}/1.m4s`, { range });
    expect(answer.status).toBe(status);
    expect(answer.headers.get("content-range")).toBe(contentRange);
    expect(answer.headers.get("content-length")).toBe(String(length));
    expect((await answer.arrayBuffer()).byteLength).toBe(length);
  });

  test("answers 416 with its size for a range after its end", async () => {
    const answer = await get(`${base}/1.m4s`, { range: "bytes=3000-" });
    expect(answer.status).toBe(416);
    expect(answer.headers.get("content-range")).toBe("bytes */3000");
    expect(answer.headers.get("cache-control")).toBe("no-store");
  });

  test("has a strong ETag, which preconditions are checked against", async () => {
    const etag = (await get(`${base}/0.m4s`)).headers.get("etag")!;
    expect(etag).toMatch(/^"[^"]+"$/);
    expect((await get(`${base}/0.m4s`, { "if-none-match": etag })).status).toBe(304);
    expect((await get(`${base}/0.m4s`, { range: "bytes=0-0", "if-range": etag })).status).toBe(206);
    expect((await get(`${base}/0.m4s`, { range: "bytes=0-0", "if-range": '"old"' })).status).toBe(200);
    const head = await get(`${base}/0.m4s`, {}, "HEAD");
    expect(head.headers.get("etag")).toBe(etag);
    expect(head.headers.get("content-length")).toBe("5000");
    expect(await head.text()).toBe("");
  });

  test.each([
    "2.m4s",
    "999.m4s",
    "00.m4s",
    "-1.m4s",
    "x.m4s",
    "0.mp4",
    "../../source",
    "..%2f..%2fsource",
    "%2e%2e/%2e%2e/source",
  ])("%s is not found, and nothing else of the asset is readable", async (file) => {
    await env.MEDIA.put(sourceKey(assetId), "the source");
    const answer = await get(`${base}/${file}`);
    expect(answer.status).toBe(404);
    expect(answer.headers.get("cache-control") ?? "").not.toContain("max-age");
    expect(await answer.text()).not.toContain("the source");
  });
});

describe("a segment of the source", () => {
  const MiB = 1024 * 1024;
  const SOURCE_BYTES = 24 * MiB;
  // Interleaved and small; and one of 18 MiB in long ranges, which must be streamed.
  const SEGMENTS = [
    [
      { offset: 1000, length: 5000 },
      { offset: 9000, length: 4000 },
    ],
    [
      { offset: 2 * MiB, length: 9 * MiB },
      { offset: 13 * MiB, length: 9 * MiB },
    ],
  ];

  async function expectMedia(answer: Response, segment: number) {
    const bytes = new Uint8Array(await answer.arrayBuffer());
    expect(answer.headers.get("content-length")).toBe(String(bytes.length));
    let at = bytes.length - SEGMENTS[segment]!.reduce((sum, { length }) => sum + length, 0);
    expect(new TextDecoder().decode(bytes.subarray(at - 4, at))).toBe("mdat");
    for (const { offset, length } of SEGMENTS[segment]!) {
      expect(firstDifference(bytes.subarray(at, at + length), offset)).toBeNull();
      at += length;
    }
  }

  test("is cut from the source over HTTP until there is a copy in the store", async () => {
    const server = await openSourceServer();
    const sourceUrl = await server.add("/film.mp4", { kind: "content", sizeBytes: SOURCE_BYTES });
    const { assetId, playbackId } = await newAsset({ sourceUrl });
    await addPassthrough(assetId, SEGMENTS);

    await expectMedia(await get(`/${playbackId}/source-v/0.m4s`), 0);
    const before = (await server.requests("/film.mp4")).length;
    expect(before).toBeLessThanOrEqual(2);
    await expectMedia(await get(`/${playbackId}/source-v/1.m4s`), 1);

    const copy = new Uint8Array(SOURCE_BYTES);
    fillVirtual(copy, 0);
    await env.MEDIA.put(sourceKey(assetId), copy);
    const asked = (await server.requests("/film.mp4")).length;
    await expectMedia(await get(`/${playbackId}/source-v/0.m4s`), 0);
    await expectMedia(await get(`/${playbackId}/source-v/1.m4s`), 1);
    expect((await server.requests("/film.mp4")).length).toBe(asked);
  });

  test("has a size, an ETag and ranges before any byte of it is read", async () => {
    const { assetId, playbackId } = await newAsset();
    await addPassthrough(assetId, SEGMENTS);
    const copy = new Uint8Array(SOURCE_BYTES);
    fillVirtual(copy, 0);
    await env.MEDIA.put(sourceKey(assetId), copy);
    const path = `/${playbackId}/source-v/1.m4s`;

    const head = await get(path, {}, "HEAD");
    const size = Number(head.headers.get("content-length"));
    expect(size).toBeGreaterThan(18 * MiB);
    const tail = await get(path, { range: "bytes=-1000" });
    expect(tail.status).toBe(206);
    expect(tail.headers.get("content-range")).toBe(`bytes ${size - 1000}-${size - 1}/${size}`);
    expect(firstDifference(new Uint8Array(await tail.arrayBuffer()), 22 * MiB - 1000)).toBeNull();
    expect((await get(path, { "if-none-match": head.headers.get("etag")! })).status).toBe(304);
    expect((await get(path, { range: `bytes=${size}-` })).status).toBe(416);
    expect((await get(`/${playbackId}/source-v/0.m4s`)).headers.get("etag")).not.toBe(head.headers.get("etag"));
  });

  test("does not exist after the last one, nor in an unknown rendition", async () => {
    const { assetId, playbackId } = await newAsset();
    await addPassthrough(assetId, SEGMENTS);
    expect((await get(`/${playbackId}/source-v/2.m4s`)).status).toBe(404);
    expect((await get(`/${playbackId}/source-a9/0.m4s`)).status).toBe(404);
  });

  test("answers 503, not cacheable, while its source cannot be read", async () => {
    const { assetId, playbackId } = await newAsset({ sourceUrl: "http://127.0.0.1:9/gone.mp4" });
    await addPassthrough(assetId, SEGMENTS);
    const answer = await get(`/${playbackId}/source-v/0.m4s`);
    expect(answer.status).toBe(503);
    expect(answer.headers.get("cache-control")).toBe("no-store");
  });
});
