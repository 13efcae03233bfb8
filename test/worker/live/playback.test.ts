import { beforeAll, describe, expect, test, vi } from "vitest";
import { env } from "cloudflare:test";
import { type ErrorBody, newWorkspace, send, type TestWorkspace } from "../workspace.ts";
import { type Broadcaster, connect, finish, newStream, settle, type Stream } from "./live-helpers.ts";

let workspace: TestWorkspace;
beforeAll(async () => {
  workspace = await newWorkspace();
});

const get = (path: string) => send(new Request(`http://sluice.test${path}`));
const put = (path: string, body: string, token: string) =>
  send(
    new Request(`http://sluice.test${path}`, { method: "PUT", body, headers: { authorization: `Bearer ${token}` } }),
  );

/** Sends one part as a gateway does. */
async function putPart({ sessionId, token }: Broadcaster, msn: number, part: number, more = "", rendition = "v720") {
  const query = `ticks=15000&at=${(msn * 4 + part) * 15_000}&independent=${part === 0 ? 1 : 0}&last=${part === 3 ? 1 : 0}&capturedAt=${1_795_000_000_000 + msn * 2000}&discontinuity=0&init=0${more}`;
  const path = `/internal/live/${sessionId}/parts/${rendition}/${msn}/${part}?${query}`;
  return await (await put(path, `[${msn}.${part}]`, token)).json<{ verdict: string }>();
}

async function onAir(
  segments = 2,
  idle?: Stream,
): Promise<{ stream: Stream; playbackId: string; broadcaster: Broadcaster }> {
  const stream = idle ?? (await newStream(workspace));
  const broadcaster = await connect(stream);
  await broadcaster.started();
  await put(`/internal/live/${broadcaster.sessionId}/init/v720/0`, "init", broadcaster.token);
  for (let msn = 0; msn < segments; msn += 1)
    for (let part = 0; part < 4; part += 1) await putPart(broadcaster, msn, part);
  await broadcaster.heartbeat(segments);
  await settle(stream);
  return { stream, playbackId: stream.playbackIds[0]!.id, broadcaster };
}

describe("a stream on air", () => {
  test("plays from its playback id: variants, playlist, init, parts and segments", async () => {
    const { playbackId, broadcaster } = await onAir();
    const multivariant = await get(`/${playbackId}.m3u8`);
    expect(multivariant.headers.get("cache-control")).toBe("public, max-age=1");
    const lines = (await multivariant.text()).split("\n");
    const base = `/${playbackId}/${broadcaster.sessionId}`;
    expect(lines).toContain(`${base.slice(1)}/v720.m3u8`);
    expect(lines.find((line) => line.startsWith("#EXT-X-STREAM-INF"))).toMatch(
      /BANDWIDTH=3284400,CODECS="avc1\.64001f,mp4a\.40\.2",RESOLUTION=1280x720,FRAME-RATE=30\.000,AUDIO="audio"/,
    );
    const playlist = await get(`${base}/v720.m3u8`);
    expect(playlist.headers.get("content-type")).toBe("application/vnd.apple.mpegurl");
    expect(await playlist.text()).toContain('#EXT-X-PRELOAD-HINT:TYPE=PART,URI="v720/2.0.m4s"');
    expect(await (await get(`${base}/v720/init-0.mp4`)).text()).toBe("init");
    const part = await get(`${base}/v720/1.2.m4s`);
    expect([await part.text(), part.headers.get("cache-control")]).toEqual([
      "[1.2]",
      "public, max-age=31536000, immutable",
    ]);
    expect(await (await get(`${base}/v720/0.m4s`)).text()).toBe("[0.0][0.1][0.2][0.3]");
  });

  test("holds a reload and a hinted part until the part has arrived", async () => {
    const { playbackId, broadcaster } = await onAir();
    const base = `/${playbackId}/${broadcaster.sessionId}`;
    const waiting = [get(`${base}/v720.m3u8?_HLS_msn=3&_HLS_part=0`), get(`${base}/v720/2.0.m4s`)];
    expect(await putPart(broadcaster, 2, 0)).toEqual({ verdict: "taken" });
    const [playlist, part] = await Promise.all(waiting);
    expect(await playlist!.text()).toContain("v720/2.0.m4s");
    expect(await part!.text()).toBe("[2.0]");
  });

  test.each([
    ["_HLS_part=1", 400],
    ["_HLS_msn=-1", 400],
    ["_HLS_msn=1000000000000000000", 400],
    ["_HLS_msn=9", 400],
    ["_HLS_skip=YES", 200],
    ["_HLS_msn=0", 200],
  ])("a reload with %s answers %i, and only valid answers are cacheable", async (query, status) => {
    const { playbackId, broadcaster } = await onAir();
    const answer = await get(`/${playbackId}/${broadcaster.sessionId}/v720.m3u8?${query}`);
    expect(answer.status).toBe(status);
    if (status === 400) expect(answer.headers.get("cache-control")).toBe("no-store");
  });

  test("is found only by its own playback ids", async () => {
    const [mine, other] = [await onAir(1), await onAir(1)];
    for (const path of [
      `/${other.playbackId}/${mine.broadcaster.sessionId}/v720.m3u8`,
      `/${other.playbackId}/${mine.broadcaster.sessionId}/v720/0.m4s`,
      `/${mine.playbackId}/${mine.broadcaster.sessionId}/v1080.m3u8`,
      `/${mine.playbackId}/${mine.broadcaster.sessionId}/v720/7.m4s`,
      `/${crypto.randomUUID()}.m3u8`,
    ]) {
      const answer = await get(path);
      expect([path, answer.status, answer.headers.get("cache-control")]).toEqual([path, 404, "no-store"]);
    }
  });

  test("continues after the earlier media when its broadcaster returns", async () => {
    const { stream, playbackId, broadcaster } = await onAir(2);
    await putPart(broadcaster, 2, 0);
    await broadcaster.left();
    const back = await connect(stream);
    expect(back.resume).toEqual({ nextMsn: 3, discontinuity: true, initVersion: 1, seconds: 4.5, ticks: {} });
    await back.started();
    expect(await putPart(back, 3, 0)).toEqual({ verdict: "taken" });
    const playlist = await (await get(`/${playbackId}/${back.sessionId}/v720.m3u8`)).text();
    expect(playlist).toContain("#EXTINF:0.5,\nv720/2.m4s"); // the unfinished segment, now short
    expect(playlist).toContain('URI="v720/3.0.m4s"');
  });
});

describe("a stream that is not on air", () => {
  test("is answered with a retry, not cacheable", async () => {
    const stream = await newStream(workspace);
    const answer = await get(`/${stream.playbackIds[0]!.id}.m3u8`);
    expect([answer.status, answer.headers.get("cache-control"), answer.headers.get("retry-after")]).toEqual([
      400,
      "no-store",
      "1",
    ]);
    expect((await answer.json<ErrorBody>()).error.message).toContain("ready");
  });

  test.each(["%.m3u8", "%.mpd", "player/%"])(
    "is one look-up in 200 ms at /%s, and is seen after that when it goes live",
    async (form) => {
      const stream = await newStream(workspace);
      const path = `/${form.replace("%", stream.playbackIds[0]!.id)}`;
      vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
      const batch = vi.spyOn(env.DB, "batch");
      try {
        const before = new Set<number>();
        for (let n = 0; n < 5; n += 1) before.add((await get(path)).status);
        expect([[...before], batch.mock.calls.length]).toEqual([[form.startsWith("player") ? 200 : 400], 1]);
        await onAir(2, stream);
        vi.setSystemTime(Date.now() + 200);
        const answer = await get(path);
        expect(answer.status).toBe(200);
        expect(await answer.text()).not.toContain("not on air");
      } finally {
        batch.mockRestore();
        vi.useRealTimers();
      }
    },
  );

  test("ends the playlists of its session when it is finished, with every segment in R2", async () => {
    const { stream, playbackId, broadcaster } = await onAir(3);
    expect((await finish(workspace, stream)).status).toBe(200);
    await settle(stream);
    const playlist = await (await get(`/${playbackId}/${broadcaster.sessionId}/v720.m3u8`)).text();
    expect(playlist).toContain("#EXT-X-ENDLIST");
    const { objects } = await env.MEDIA.list({ prefix: `assets/${broadcaster.sessionId}/renditions/v720/` });
    expect(objects.map(({ key }) => key.split("/").at(-1))).toEqual(["0.m4s", "1.m4s", "2.m4s", "init-0.mp4"]);
  });

  test("answers 404 after its deletion", async () => {
    const { stream, playbackId } = await onAir(1);
    await workspace.request("DELETE", `/v1/live/streams/${stream.streamId}`);
    await settle(stream);
    expect((await get(`/${playbackId}.m3u8`)).status).toBe(404);
  });
});

test("a part is refused when it is too large, has an invalid query, or lacks the session's token", async () => {
  const { broadcaster } = await onAir(1);
  const path = `/internal/live/${broadcaster.sessionId}/parts/v720/1/0`;
  const good = "?ticks=15000&at=0&independent=1&last=0&capturedAt=1&discontinuity=0&init=0";
  expect((await put(`${path}${good}`, "x".repeat(1_900_001), broadcaster.token)).status).toBe(413);
  expect((await put(`${path}?ticks=0`, "x", broadcaster.token)).status).toBe(422);
  expect((await put(`${path}${good}`, "x", "forged")).status).toBe(401);
  expect(await putPart(broadcaster, 1, 2)).toEqual({ verdict: "missing", expected: { msn: 1, part: 0 } });
});

describe("an outdated connection", () => {
  const say = async ({ sessionId, token }: Broadcaster, method: string, path: string, body: string) =>
    (
      await send(
        new Request(`http://sluice.test/internal/live/${sessionId}/${path}`, {
          method,
          body,
          headers: { authorization: `Bearer ${token}` },
        }),
      )
    ).status;
  const PART = "parts/v720/2/0?ticks=15000&at=0&independent=1&last=0&capturedAt=1&discontinuity=0&init=0";
  const WRITES: [string, string, string][] = [
    ["PUT", PART, "old"],
    ["PUT", "init/v720/7", "old"],
    ["POST", "gap", '{"rendition":"v720","msn":2}'],
    ["POST", "dropped", '{"rendition":"v720","fromMsn":2}'],
  ];

  test("cannot write, neither after its replacement nor after the session's end", async () => {
    const { stream, playbackId, broadcaster } = await onAir(2);
    await broadcaster.left();
    const back = await connect(stream);
    await back.started();
    for (const [method, path, body] of WRITES) expect(await say(broadcaster, method, path, body)).toBe(410);
    expect(await putPart(back, 2, 0)).toEqual({ verdict: "taken" });
    expect((await finish(workspace, stream)).status).toBe(200);
    for (const [method, path, body] of WRITES) expect(await say(back, method, path, body)).toBe(410);
    const init = await get(`/${playbackId}/${back.sessionId}/v720/init-0.mp4`);
    expect(await init.text()).toBe("init");
  });

  test("an init segment is written once, and a new encoder's gets a new version even if no part followed the old one", async () => {
    const { stream, playbackId, broadcaster } = await onAir(1);
    expect(await say(broadcaster, "PUT", "init/v720/0", "other")).toBe(200);
    expect(await (await get(`/${playbackId}/${broadcaster.sessionId}/v720/init-0.mp4`)).text()).toBe("init");
    expect(await say(broadcaster, "PUT", "init/v720/1", "of an encoder that died")).toBe(200);
    await broadcaster.left();
    expect((await connect(stream)).resume).toMatchObject({ nextMsn: 1, initVersion: 2 });
  });
});
