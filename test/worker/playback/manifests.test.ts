import { env } from "cloudflare:test";
import { eq } from "drizzle-orm";
import { beforeAll, describe, expect, test } from "vitest";
import { assets } from "../../../src/library/assets/tables.ts";
import { openDatabase } from "../../../src/platform/database.ts";
import { forgetPlayback } from "../../../src/playback/index.ts";
import { addRung, get, newAsset } from "./playable.ts";
import { waitUntilPlayable } from "../../../sdk/index.ts";
import { send } from "../workspace.ts";

let assetId: string;
let id: string;

beforeAll(async () => {
  ({ assetId, playbackId: id } = await newAsset({ status: "ready" }));
  await addRung(assetId);
  await addRung(assetId, "v270", { widthPx: 480, heightPx: 270 });
});

test.each([
  ["", ".m3u8", "application/vnd.apple.mpegurl", "#EXTM3U"],
  ["", ".mpd", "application/dash+xml", "<?xml"],
  ["/v720", ".m3u8", "application/vnd.apple.mpegurl", "#EXTM3U"],
  ["/v720/iframes", ".m3u8", "application/vnd.apple.mpegurl", "#EXTM3U"],
])("{id}%s%s answers %s to any origin, with its own lifetime", async (name, extension, type, start) => {
  const answer = await get(`/${id}${name}${extension}`);
  expect(answer.status).toBe(200);
  expect(answer.headers.get("content-type")).toBe(type);
  expect(answer.headers.get("access-control-allow-origin")).toBe("*");
  expect(answer.headers.get("access-control-expose-headers")).toContain("Content-Length");
  expect(answer.headers.get("cache-control")).toBe("public, max-age=5, must-revalidate");
  expect(answer.headers.get("vary")).toBe("Accept-Encoding");
  const text = await answer.text();
  expect(text.startsWith(start)).toBe(true);
  expect(answer.headers.get("content-length")).toBe(String(text.length));
});

test("a manifest is compressed for clients that accept it, with another ETag", async () => {
  const plain = await get(`/${id}.m3u8`);
  const packed = await get(`/${id}.m3u8`, { "accept-encoding": "gzip" });
  expect(packed.headers.get("content-encoding")).toBe("gzip");
  expect(packed.headers.get("etag")).not.toBe(plain.headers.get("etag"));
  const unpacked = packed.body!.pipeThrough(new DecompressionStream("gzip"));
  expect(await new Response(unpacked).text()).toBe(await plain.text());
});

test("a conditional request for an unchanged manifest is answered 304; HEAD has the same headers", async () => {
  const first = await get(`/${id}.m3u8`);
  const again = await get(`/${id}.m3u8`, { "if-none-match": first.headers.get("etag")! });
  expect(again.status).toBe(304);
  expect(await again.text()).toBe("");
  const head = await get(`/${id}.m3u8`, {}, "HEAD");
  expect(head.status).toBe(200);
  for (const name of ["etag", "content-type", "content-length"])
    expect(head.headers.get(name)).toBe(first.headers.get(name));
  expect(await head.text()).toBe("");
});

test("a filter keeps the requested rungs", async () => {
  const text = await (await get(`/${id}.m3u8?maxResolution=480p&utm_source=x`)).text();
  expect(text).toContain("/v270.m3u8");
  expect(text).not.toContain("/v720.m3u8");
});

test("a window of a media is refused in manifests and on the page: only broadcasts are cut by a query", async () => {
  for (const address of [`/${id}.m3u8?start=1s&end=3s`, `/${id}.mpd?end=3s`, `/player/${id}?start=1s`]) {
    const answer = await get(address);
    expect([answer.status, await answer.text()]).toEqual([422, expect.stringContaining("is for streams on air")]);
  }
});

test("an invalid filter is refused with the invalid fields", async () => {
  const answer = await get(`/${id}.mpd?minResolution=12p&renditionOrder=sideways`);
  expect(answer.status).toBe(422);
  expect(answer.headers.get("cache-control")).toBe("no-store");
  expect(answer.headers.get("access-control-allow-origin")).toBe("*");
  expect(await answer.json()).toMatchObject({
    success: false,
    error: { code: 422, fields: [{ field: "minResolution" }, { field: "renditionOrder" }] },
  });
});

describe("nothing to play", () => {
  const unknown = crypto.randomUUID();

  test("an asset that is being processed is 'not ready', with a retry", async () => {
    const { playbackId } = await newAsset({ progress: { percent: 42.7, stage: "encoding", renditions: [] } });
    const answer = await get(`/${playbackId}.m3u8`);
    expect(answer.status).toBe(400);
    expect(answer.headers.get("cache-control")).toBe("no-store");
    const body = await answer.json<{ error: { message: string; description: string } }>();
    expect(body.error.message).toContain("ready");
    expect(body.error.description).toBe("42 % processed");
  });

  test("it plays from the first request after it became playable", async () => {
    const late = await newAsset();
    expect((await get(`/${late.playbackId}.m3u8`)).status).toBe(400);
    await addRung(late.assetId);
    expect((await get(`/${late.playbackId}.m3u8`)).status).toBe(200);
  });

  test("an errored asset is not found, so that players stop, and the answer has the reason", async () => {
    const { playbackId } = await newAsset({ status: "errored", errorCode: "source_not_media" });
    const answer = await get(`/${playbackId}.m3u8`);
    expect(answer.status).toBe(404);
    expect(await answer.json()).toMatchObject({ error: { description: "processing failed: source_not_media" } });
    const waiting = waitUntilPlayable(`https://sluice.test/${playbackId}.m3u8`, { fetch: send });
    await expect(waiting, "the SDK does not wait for it").rejects.toThrow("processing failed: source_not_media");
  });

  test("a deleted asset is answered byte for byte like one that never existed", async () => {
    const gone = await newAsset({ status: "ready" });
    await addRung(gone.assetId);
    expect((await get(`/${gone.playbackId}/v720/0.m4s`)).status).toBe(200);
    expect((await get(`/${gone.playbackId}.m3u8`)).status).toBe(200);
    await openDatabase(env.DB).update(assets).set({ deletedAt: new Date() }).where(eq(assets.id, gone.assetId));
    forgetPlayback(gone.playbackId);

    for (const path of [".m3u8", ".mpd", "/v720.m3u8", "/v720/iframes.m3u8", "/v720/init.mp4", "/v720/0.m4s"]) {
      const [deleted, never] = await Promise.all([get(`/${gone.playbackId}${path}`), get(`/${unknown}${path}`)]);
      const reported = async (answer: Response) => ({
        path,
        status: answer.status,
        headers: [...answer.headers],
        body: await answer.text(),
      });
      expect(await reported(deleted)).toEqual(await reported(never));
      expect(deleted.status).toBe(404);
    }
    const waiting = waitUntilPlayable(`https://sluice.test/${unknown}.m3u8`, { fetch: send });
    await expect(waiting, "the SDK does not wait for it").rejects.toMatchObject({ status: 404 });
  });

  test.each([
    [`/${unknown}.m3u8`],
    ["/not-a-uuid.m3u8"],
    [`/${unknown}/v720/0.m4s`],
    ["/x/y/0.m4s"],
    [`/${unknown}/..%2f..%2fassets`],
  ])("%s is the same 404 as any other", async (path) => {
    const answer = await get(path);
    expect(answer.status).toBe(404);
    expect(await answer.json()).toEqual({
      success: false,
      error: {
        code: 404,
        message: "Media/PlaybackId not Found",
        description: expect.stringContaining("manifests end in .m3u8") as string,
      },
    });
  });
});

test("other methods are refused, preflights are answered", async () => {
  const post = await get(`/${id}.m3u8`, {}, "POST");
  expect(post.status).toBe(405);
  expect(post.headers.get("allow")).toBe("GET, HEAD, OPTIONS");
  const preflight = await get(`/${id}/v720/0.m4s`, { "access-control-request-headers": "range" }, "OPTIONS");
  expect(preflight.status).toBe(204);
  expect(preflight.headers.get("access-control-allow-headers")).toContain("Range");
});

test("addresses outside of playback are left to other routes", async () => {
  expect(await (await get("/v1/on-demand")).text()).toBe("404 Not Found");
});

test("the page escapes an owner's title, and loads nothing from other origins", async () => {
  const { assetId: titledId, playbackId } = await newAsset({
    title: `"><img src=x onerror=alert(1)>&'</title><script>alert(2)</script>`,
  });
  await addRung(titledId);
  const answer = await get(`/player/${playbackId}`);
  const html = await answer.text();
  expect(answer.status).toBe(200);
  expect(html).not.toContain("<img");
  expect(html).not.toContain("<script>");
  expect(html).toContain("&quot;&gt;&lt;img src=x onerror=alert(1)&gt;&amp;&#39;&lt;/title&gt;");
  expect(answer.headers.get("content-security-policy")).toContain("default-src 'none'");
  expect(answer.headers.get("content-security-policy")).toContain("script-src 'self';");
  expect((await get(`/player/${crypto.randomUUID()}`)).status).toBe(404);
});
