import { beforeAll, describe, expect, test, vi } from "vitest";
import type { Started } from "../../../protocol/live.ts";
import { type ErrorBody, newWorkspace, send, type TestWorkspace } from "../workspace.ts";
import { at, connect, FACTS, finish, inMachine, newStream, settle } from "./live-helpers.ts";

let workspace: TestWorkspace;
beforeAll(async () => {
  workspace = await newWorkspace();
});

const V360 = { ...FACTS.renditions[0]!, name: "v360", widthPx: 640, heightPx: 360, bitrateBps: 800_000 };
const TWO_RUNGS: Started = { ...FACTS, renditions: [...FACTS.renditions, V360] };

const get = (path: string, headers = {}) => send(new Request(`http://sluice.test${path}`, { headers }));
const textOf = async (path: string) => (await get(path)).text();
const ask = (method: string, path: string, token: string, body: BodyInit) =>
  send(new Request(`http://sluice.test${path}`, { method, body, headers: { authorization: `Bearer ${token}` } }));

/** A stream whose session has whole segments of 2 s, each in one part. */
async function begun(segments: number, settings: object = {}) {
  const stream = await newStream(workspace, settings);
  const broadcaster = await connect(stream);
  await broadcaster.started(TWO_RUNGS);
  const { sessionId, token } = broadcaster;
  const path = `/internal/live/${sessionId}`;
  const put = async (msn: number, rendition = "v720") => {
    const query = `ticks=60000&at=${msn * 60_000}&independent=1&last=1&capturedAt=${1_795_000_000_000 + msn * 2000}&discontinuity=0&init=0`;
    const answer = await ask("PUT", `${path}/parts/${rendition}/${msn}/0?${query}`, token, `[${msn}]`);
    expect(await answer.json()).toEqual({ verdict: "taken" });
  };
  for (let msn = 0; msn < segments; msn += 1) await put(msn);
  await broadcaster.heartbeat(segments);
  await settle(stream);
  const playbackId = stream.playbackIds[0]!.id;
  return { stream, playbackId, base: `/${playbackId}/${sessionId}`, broadcaster, path, put };
}

const DROPPED_V360 = '{"rendition":"v360","fromMsn":0}';
const sizesOf = (multivariant: string) =>
  [...multivariant.matchAll(/RESOLUTION=\d+x(\d+)/g)].map(([, size]) => Number(size));

describe("the offer of a stream on air", () => {
  test("is complete before the first part; an empty playlist waits for it", async () => {
    const { playbackId, base, put } = await begun(0);
    expect(sizesOf(await textOf(`/${playbackId}.m3u8`))).toEqual([720, 360]);
    const waiting = textOf(`${base}/v720.m3u8`);
    await put(0);
    expect(await waiting).toContain("v720/0.m4s");
  });

  test.each([
    ["", [720, 360]],
    ["?renditionOrder=asc", [360, 720]],
    ["?maxResolution=480p", [360]],
    ["?min_resolution=480p", [720]],
    ["?resolution=360p", [360]],
  ])("applies the viewer's query: %s", async (query, expected) => {
    const { playbackId } = await begun(1);
    expect(sizesOf(await textOf(`/${playbackId}.m3u8${query}`))).toEqual(expected);
  });

  test("applies it in the MPD too, whose Location keeps the query", async () => {
    const { playbackId, broadcaster, put } = await begun(1, { enableDvrMode: true });
    await put(0, "v360");
    const own = `${playbackId}.${broadcaster.sessionId}.mpd`;
    const heightsOf = (mpd: string) => [...mpd.matchAll(/ height="(\d+)"/g)].map(([, height]) => Number(height));
    expect(heightsOf(await textOf(`/${playbackId}.mpd`))).toEqual([720, 360]);
    const asked = "dvrMode=true&maxResolution=480p";
    const mpd = await textOf(`/${playbackId}.mpd?max_resolution=480p&dvrMode=true`);
    expect(heightsOf(mpd)).toEqual([360]);
    expect(mpd).toContain(`<Location>${own}?${asked.replace("&", "&amp;")}</Location>`);
    expect(heightsOf(await textOf(`/${own}?${asked}`))).toEqual([360]);
    expect((await get(`/${own}?maxResolution=big`)).status).toBe(422);
  });

  test("ends at the resolution of the playback ID, in manifests, playlists, media and clip windows", async () => {
    const { stream, base, broadcaster, put } = await begun(1, { enableDvrMode: true });
    for (const rendition of ["v360", "a1"]) await put(0, rendition);
    const body = { accessPolicy: "public", resolution: "480p" };
    const added = await workspace.request("POST", at(stream, "/playback-ids"), body);
    const id = (await added.json<{ data: { id: string } }>()).data.id;
    for (const path of [`${id}.m3u8`, `${id}.m3u8?resolution=720p`, `${id}.m3u8?start=0s&end=2s`])
      expect([path, sizesOf(await textOf(`/${path}`))]).toEqual([path, [360]]);
    for (const path of [`${id}.mpd?minResolution=720p`, `${id}.${broadcaster.sessionId}.mpd`])
      expect(await textOf(`/${path}`)).not.toContain('height="720"');
    const session = base.replace(/^\/[^/]+/, `/${id}`);
    for (const file of [".m3u8", ".m3u8?clip=0-0", "/0.m4s", "/0.0.m4s"]) {
      expect([file, (await get(`${session}/v360${file}`)).status]).toEqual([file, 200]);
      expect([file, (await get(`${session}/v720${file}`)).status]).toEqual([file, 404]);
      expect([file, (await get(`${base}/v720${file}`)).status]).toEqual([file, 200]);
    }
    await ask("POST", `/internal/live/${broadcaster.sessionId}/dropped`, broadcaster.token, DROPPED_V360);
    await vi.waitFor(async () => expect(sizesOf(await textOf(`/${id}.m3u8`))).toEqual([720]), 3000);
    expect((await get(`${session}/v720.m3u8`)).status).toBe(200); // without a rung below it, the smallest is offered
  });

  test("is refused with the invalid field", async () => {
    const { playbackId } = await begun(1);
    const answer = await get(`/${playbackId}.m3u8?maxResolution=big`);
    expect(answer.status).toBe(422);
    expect((await answer.json<ErrorBody>()).error.fields).toEqual([{ field: "maxResolution", message: "is invalid" }]);
  });

  test("omits a rung that the encoder has dropped, whose playlist continues with gaps", async () => {
    const { playbackId, base, broadcaster, path, put } = await begun(2);
    expect((await ask("POST", `${path}/dropped`, broadcaster.token, '{"rendition":"v360","fromMsn":0}')).status).toBe(
      200,
    );
    expect(sizesOf(await textOf(`/${playbackId}.m3u8`))).toEqual([720]);
    await put(2);
    expect(await textOf(`${base}/v360.m3u8?_HLS_msn=3`)).toMatch(/(#EXT-X-GAP\n#EXTINF:2,\nv360\/2.m4s)/);
    expect(await (await ask("POST", `${path}/gap`, broadcaster.token, '{"rendition":"v720","msn":9}')).json()).toEqual({
      verdict: "missing",
      expected: { msn: 3, part: 0 },
    });
    expect((await ask("POST", `${path}/gap`, broadcaster.token, '{"rendition":"v720","msn":-1}')).status).toBe(422);
  });
});

describe("playback from the beginning (DVR)", () => {
  test("works for streams that allow it, through their variants, and compressed", async () => {
    const { playbackId, base } = await begun(33, { enableDvrMode: true });
    expect(await textOf(`/${playbackId}.m3u8?dvrMode=true`)).toContain(`${base.slice(1)}/v720.m3u8?dvrMode=true`);
    expect(await textOf(`${base}/v720.m3u8`)).toContain("#EXT-X-MEDIA-SEQUENCE:4");
    const answer = await get(`${base}/v720.m3u8?dvrMode=true`, { "accept-encoding": "gzip" });
    expect([answer.headers.get("content-encoding"), answer.headers.get("vary")]).toEqual(["gzip", "Accept-Encoding"]);
    const text = await new Response(answer.body!.pipeThrough(new DecompressionStream("gzip"))).text();
    expect(text).toContain("#EXT-X-MEDIA-SEQUENCE:1");
    expect(text).toContain("v720/0.m4s");
  });

  test("is ignored where the stream does not allow it", async () => {
    const { playbackId, base } = await begun(33);
    expect(await textOf(`/${playbackId}.m3u8?dvrMode=true`)).not.toContain("dvrMode");
    expect(await textOf(`${base}/v720.m3u8?dvrMode=true`)).toContain("#EXT-X-MEDIA-SEQUENCE:4");
  });
});

test("the newest picture is served while on air, an older one is ignored, and a body that is no picture is refused", async () => {
  const { stream, playbackId, broadcaster, path } = await begun(1);
  const image = `/${playbackId}/thumbnail.jpg`;
  expect((await get(image)).status).toBe(400);
  const jpeg = (last: number) => new Uint8Array([0xff, 0xd8, 0xff, last]);
  const put = async (capturedAt: unknown, body: Uint8Array<ArrayBuffer>) =>
    (await ask("PUT", `${path}/thumbnail?capturedAt=${String(capturedAt)}`, broadcaster.token, body)).status;
  expect(await put(2000, jpeg(2))).toBe(200);
  expect(await put(1000, jpeg(1))).toBe(200);
  expect(await put(3000, new Uint8Array([1, 2, 3]))).toBe(422);
  expect(await put("soon", jpeg(1))).toBe(422);
  expect(await put(3000, new Uint8Array(512 * 1024 + 1).fill(0xff))).toBe(413);
  const shown = await get(image);
  expect([shown.headers.get("content-type"), shown.headers.get("cache-control")]).toEqual([
    "image/jpeg",
    "public, max-age=5",
  ]);
  expect(new Uint8Array(await shown.arrayBuffer())[3]).toBe(2);
  await finish(workspace, stream);
  await settle(stream);
  // An isolate caches a look-up for a second.
  await vi.waitFor(async () => {
    const over = await get(image);
    expect([over.status, over.headers.get("cache-control")]).toEqual([400, "no-store"]);
  }, 2000);
  expect((await get(`/${crypto.randomUUID()}/thumbnail.jpg`)).status).toBe(404);
});

test("a client that changes its user agent, or its address within its network, counts as at most eight viewers", async () => {
  const { stream, base } = await begun(1);
  const asks = Array.from({ length: 60 }, (_, n) => ({
    "user-agent": `program ${n}`,
    "cf-connecting-ip": `2001:db8:1:2:${n.toString(16)}::1`,
  }));
  const views = async () =>
    (await (await workspace.request("GET", at(stream, "/viewer-count"))).json<{ data: { views: number } }>()).data
      .views;
  await vi.waitFor(
    async () => {
      for (const headers of asks) await get(`${base}/v720.m3u8`, headers);
      expect(await views()).toBe(8);
    },
    { timeout: 5000, interval: 200 },
  );
});

test("two clients that reload playlists are two viewers, and none after 30 s without a request", async () => {
  const { stream, base } = await begun(1);
  const views = async () =>
    (await (await workspace.request("GET", at(stream, "/viewer-count"))).json<{ data: { views: number } }>()).data
      .views;
  await vi.waitFor(
    async () => {
      for (const agent of ["one", "two", "one", "two"]) await get(`${base}/v720.m3u8`, { "user-agent": agent });
      expect(await views()).toBe(2);
    },
    { timeout: 5000, interval: 200 },
  );
  await inMachine(stream, (machine) => {
    machine.components.viewers.reported!.atMs -= 30_000;
  });
  expect(await views()).toBe(0);
});
