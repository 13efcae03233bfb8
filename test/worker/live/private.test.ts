/** Private playback of streams: live, DVR, clip windows, recordings and clips, by the same check as that of assets. */
import { env, runDurableObjectAlarm } from "cloudflare:test";
import { beforeAll, describe, expect, test } from "vitest";
import { originOf } from "../../../src/live/origin/origin-calls.ts";
import { forgetPlayback } from "../../../src/playback/index.ts";
import { until } from "../events/webhooks/webhook-rows.ts";
import { newWorkspace, send, type TestWorkspace } from "../workspace.ts";
import { addSigningKey, signToken } from "../playback/tokens.ts";
import { at, finish, newStream, settle } from "./live-helpers.ts";
import { bring, broadcast } from "./recording-helpers.ts";

let workspace: TestWorkspace;
let keyId: string;
beforeAll(async () => {
  workspace = await newWorkspace();
  keyId = await addSigningKey(workspace.id);
});

const get = (path: string) => send(new Request(`http://sluice.test${path}`, { redirect: "manual" }));
const statusOf = async (path: string) => {
  const { status, body } = await get(path);
  await body?.cancel();
  return status;
};

/** A private stream on air with DVR. */
async function onAir(settings: object = {}, accessPolicy: "public" | "private" = "private") {
  const stream = await newStream(workspace, { enableDvrMode: true, ...settings }, accessPolicy);
  const broadcaster = await broadcast(stream, 4);
  await settle(stream);
  const id = stream.playbackIds[0]!.id;
  return { stream, broadcaster, id, sessionId: broadcaster.sessionId, token: await signToken(keyId, id) };
}

const lineOf = (text: string, end: string) => text.split("\n").find((line) => line.includes(end))!;

describe("a private stream on air", () => {
  test("every address needs a token", async () => {
    const { id, sessionId, broadcaster, token } = await onAir();
    const thumbnail = { method: "PUT", body: "jpeg", headers: { authorization: `Bearer ${broadcaster.token}` } };
    await send(new Request(`http://sluice.test/internal/live/${sessionId}/thumbnail?at=1`, thumbnail));
    const session = `/${id}/${sessionId}`;
    for (const path of [
      `/${id}.m3u8`,
      `/${id}.mpd`,
      `/${id}.m3u8?dvrMode=true`,
      `/${id}.m3u8?start=0s&end=4s`,
      `/${id}.mpd?start=0s&end=4s`,
      `/${id}.${sessionId}.mpd`,
      `${session}/time`,
      `${session}/v720.m3u8`,
      `${session}/v720.m3u8?dvrMode=true`,
      `${session}/v720.m3u8?clip=0-1`,
      `${session}/v720.m3u8?_HLS_msn=3&_HLS_part=0`,
      `${session}/v720/init-0.mp4`,
      `${session}/v720/1.m4s`,
      `${session}/v720/3.2.m4s`,
      `/player/${id}`,
    ]) {
      const withToken = `${path}${path.includes("?") ? "&" : "?"}token=${token}`;
      expect([path, await statusOf(path), await statusOf(withToken)]).toEqual([path, 401, 200]);
    }
    for (const picture of ["thumbnail.jpg", "thumbnail.jpg?time=1"])
      expect([picture, await statusOf(`/${id}/${picture}`)]).toEqual([picture, 401]);
    expect(await (await get(`/player/${id}?token=${token}`)).text()).toContain('data-images="poster"');
    expect(await statusOf(`/${id}/thumbnail.jpg?token=${token}`)).not.toBe(401);
  });

  test("plays over HLS from what the manifest names, through caches that keep it for seconds", async () => {
    const { id, token } = await onAir();
    const top = await get(`/${id}.m3u8?token=${token}`);
    expect(top.headers.get("cache-control")).toBe("private, max-age=1");
    const playlist = `/${lineOf(await top.text(), "/v720.m3u8")}`;
    const edge = await get(`${playlist}?_HLS_msn=3&_HLS_part=0`);
    expect([edge.status, edge.headers.get("cache-control")]).toEqual([200, "public, max-age=12, s-maxage=5"]);
    const text = await edge.text();
    expect(text).not.toContain(token);
    for (const file of ["v720/init-0.mp4", "v720/1.m4s", "v720/3.3.m4s"]) {
      expect(text).toContain(file);
      const media = await get(new URL(file, `http://sluice.test${playlist}`).pathname);
      expect([media.status, media.headers.get("cache-control")]).toEqual([200, "public, max-age=3600, s-maxage=5"]);
    }
  });

  test("plays over DASH: the MPD's later addresses are its base, its own and its clock", async () => {
    const { id, token, broadcaster } = await onAir();
    const mpd = async (path: string) => await (await get(path)).text();
    const first = await mpd(`/${id}.mpd?token=${token}`);
    const valueOf = (text: string, form: RegExp) => form.exec(text)![1]!;
    const base = valueOf(first, /<BaseURL>([^<]+)</);
    const location = valueOf(first, /<Location>([^<]+)</);
    expect(base).toContain("~");
    for (const path of [
      `/${base}v720/1.m4s`,
      `/${base}v720/init-0.mp4`,
      valueOf(first, /http-iso:2014" value="([^"]+)"/),
    ])
      expect([path, await statusOf(path)]).toEqual([path, 200]);
    await bring(broadcaster, 4);
    const second = await mpd(`/${location}`);
    expect([valueOf(second, /<BaseURL>([^<]+)</), valueOf(second, /<Location>([^<]+)</)]).toEqual([base, location]);
  });

  test("has public and private playback IDs at the same time", async () => {
    const { stream, id, sessionId } = await onAir();
    const added = await workspace.request("POST", at(stream, "/playback-ids"), { accessPolicy: "public" });
    const { data } = await added.json<{ data: { id: string } }>();
    expect(await statusOf(`/${data.id}/${sessionId}/v720/1.m4s`)).toBe(200);
    expect(await statusOf(`/${id}/${sessionId}/v720/1.m4s`)).toBe(401);
    const mpd = await (await get(`/${data.id}.mpd`)).text();
    expect(mpd).not.toContain("~");
  });

  test.each([undefined, {}])("warns when the body %j makes its first public playback ID", async (body) => {
    const stream = await newStream(workspace, {}, "private");
    const add = async (more?: object) => {
      const added = await workspace.request("POST", at(stream, "/playback-ids"), more);
      const { data, warnings } = await added.json<{ data: { accessPolicy: string }; warnings?: { field: string }[] }>();
      return [added.status, data.accessPolicy, warnings?.map(({ field }) => field)];
    };
    expect(await add({ accessPolicy: "private" })).toEqual([201, "private", undefined]);
    expect(await add(body)).toEqual([201, "public", ["accessPolicy"]]);
    expect(await add(body)).toEqual([201, "public", undefined]);
  });

  test("a permit of one playback ID does not open the other", async () => {
    const { stream, id, sessionId, token } = await onAir();
    const added = await workspace.request("POST", at(stream, "/playback-ids"), { accessPolicy: "private" });
    const { data } = await added.json<{ data: { id: string } }>();
    const [, permit] = /~([^/]+)\//.exec(await (await get(`/${id}.m3u8?token=${token}`)).text())!;
    expect(await statusOf(`/${id}~${permit}/${sessionId}/v720/1.m4s`)).toBe(200);
    expect(await statusOf(`/${data.id}~${permit}/${sessionId}/v720/1.m4s`)).toBe(401);
  });
});

/** Ends the broadcast, and moves its end out of the time in which players still reload it. */
async function end({ id, stream, broadcaster }: Awaited<ReturnType<typeof onAir>>): Promise<void> {
  await broadcaster.left();
  await settle(stream);
  await finish(workspace, stream);
  await settle(stream);
  await env.DB.prepare("UPDATE live_sessions SET ended_at = ? WHERE id = ?")
    .bind(Date.now() - 61_000, broadcaster.sessionId)
    .run();
  forgetPlayback(id);
}

describe("the permits of a private stream", () => {
  const HOUR_MS = 3600_000;
  /** How long the permits in an answer last, in hours; its location counts too. */
  const hoursLeft = async (path: string): Promise<number[]> => {
    const answer = await get(path);
    const text = `${await answer.text()} ${answer.headers.get("location") ?? ""}`;
    return [...text.matchAll(/~(\d+)-/g)].map(([, expiry]) => (Number(expiry) * 1000 - Date.now()) / HOUR_MS);
  };
  const expectHours = async (path: string, lastsHours: number) => {
    const hours = await hoursLeft(path);
    expect([path, hours.length > 0]).toEqual([path, true]);
    expect([path, Math.min(...hours) > lastsHours + 0.99, Math.max(...hours) <= lastsHours + 2]).toEqual([
      path,
      true,
      true,
    ]);
  };

  test.each([
    ["without a `maxDuration`, as the longest media", { maxDuration: 0, enableDvrMode: false }, 12],
    ["as its `maxDuration`", { maxDuration: 7200, enableDvrMode: false }, 2],
    ["with DVR, as its `maxDuration` from any time", { maxDuration: 7200 }, 2],
  ])("last %s", async (_, settings, lastsHours) => {
    const { id, sessionId, token } = await onAir(settings);
    for (const path of [`/${id}.m3u8`, `/${id}.mpd`, `/${id}.${sessionId}.mpd`])
      await expectHours(`${path}?token=${token}`, lastsHours);
    await expectHours(`/${id}.m3u8?start=0s&end=4s&token=${token}`, 0);
  });

  test("last for the rest of the broadcast, and with DVR for all of it", async () => {
    const began = (sessionId: string) =>
      env.DB.prepare("UPDATE live_sessions SET started_at = ? WHERE id = ?")
        .bind(Date.now() - 5 * HOUR_MS, sessionId)
        .run();
    for (const [enableDvrMode, lastsHours] of [
      [false, 1],
      [true, 6],
    ] as const) {
      const { id, sessionId, token } = await onAir({ maxDuration: 6 * 3600, enableDvrMode });
      await began(sessionId);
      forgetPlayback(id);
      await expectHours(`/${id}.m3u8?token=${token}`, lastsHours);
    }
  });

  test("last for its recording after the end", async () => {
    const live = await onAir({ mediaPolicy: "private" });
    await end(live);
    await expectHours(`/${live.id}.m3u8?token=${live.token}`, 0);
    await expectHours(`/${live.id}.${live.sessionId}.mpd?token=${live.token}`, 0);
  });
});

describe("after the broadcast", () => {
  test("a private stream leads to its private recording, which plays from there", async () => {
    const live = await onAir({ mediaPolicy: "private" });
    const [, permit] = /~([^/]+)\//.exec(await (await get(`/${live.id}.m3u8?token=${live.token}`)).text())!;
    await end(live);
    const own = `SELECT id FROM playback_ids WHERE target_id = ?`;
    const recording = await env.DB.prepare(own).bind(live.sessionId).first<string>("id");
    expect(await statusOf(`/${recording}.m3u8`)).toBe(401);
    expect(await statusOf(`/${live.id}.m3u8`)).toBe(401); // from memory and from D1
    const led = await get(`/${live.id}.m3u8?token=${live.token}`);
    expect([led.status, led.headers.get("cache-control")]).toEqual([302, "private, max-age=1"]);
    expect(led.headers.get("location")).toMatch(new RegExp(`^${recording}~[0-9a-f-]+\\.m3u8$`));
    const manifest = await get(`/${led.headers.get("location")!}`);
    const playlist = `/${lineOf(await manifest.text(), "/v720.m3u8")}`;
    expect(await statusOf(playlist)).toBe(200);
    expect(await statusOf(playlist.replace("v720.m3u8", "v720/1.m4s"))).toBe(200);
    expect(await statusOf(`/${live.id}.m3u8`)).toBe(401);

    // A player that still plays the session, when its index is deleted.
    const origin = originOf(env, live.sessionId);
    await origin.release(0);
    await runDurableObjectAlarm(origin as never);
    const path = `/${live.id}~${permit}/${live.sessionId}/v720.m3u8`;
    const late = await get(path);
    expect(late.status).toBe(302);
    expect(await statusOf(new URL(late.headers.get("location")!, `http://sluice.test${path}`).pathname)).toBe(200);
  });

  test("a public stream does not lead to its private recording, and its page does not promise it", async () => {
    const live = await onAir({ mediaPolicy: "private" }, "public");
    await end(live);
    expect(await statusOf(`/${live.id}.m3u8`)).toBe(410);
    expect(await (await get(`/player/${live.id}`)).text()).toContain("The next one starts here by itself.");
  });

  test("a private stream leads to its public recording as anybody", async () => {
    const live = await onAir({ mediaPolicy: "public" });
    await end(live);
    const { headers } = await get(`/${live.id}.m3u8?token=${live.token}`);
    expect(headers.get("location")).not.toContain("~");
  });
});

describe("a stream with domain rules", () => {
  const from = (path: string, origin: string) =>
    send(new Request(`http://sluice.test${path}`, { redirect: "manual", headers: { origin } }));
  const HERE = "https://www.example.com";
  const ELSEWHERE = "https://elsewhere.test";
  const RULES = { defaultPolicy: "deny", allow: ["*.example.com"], deny: [] };
  const statusesOf = async (path: string) => [(await from(path, HERE)).status, (await from(path, ELSEWHERE)).status];

  /** On air since its rules are set. */
  async function restricted() {
    const stream = await newStream(workspace, { enableDvrMode: true });
    const id = stream.playbackIds[0]!.id;
    await workspace.request("PATCH", at(stream, `/playback-ids/${id}/domains`), RULES);
    const broadcaster = await broadcast(stream, 4);
    await settle(stream);
    return { stream, id, broadcaster, sessionId: broadcaster.sessionId, token: "" };
  }

  test("plays from there alone: live, DVR, clip windows, thumbnail and page, and changes act at every address", async () => {
    const { stream, id, sessionId, broadcaster } = await restricted();
    const headers = { authorization: `Bearer ${broadcaster.token}` };
    const thumbnail = { method: "PUT", body: new Uint8Array([0xff, 0xd8, 0xff, 0xd9]), headers };
    await send(new Request(`http://sluice.test/internal/live/${sessionId}/thumbnail?capturedAt=1`, thumbnail));
    const session = `/${id}/${sessionId}`;
    const paths = [
      `/${id}.m3u8`,
      `/${id}.mpd?dvrMode=true`,
      `/${id}.m3u8?start=0s&end=4s`,
      `/${id}.${sessionId}.mpd`,
      `${session}/v720.m3u8?dvrMode=true`,
      `${session}/v720.m3u8?clip=0-1`,
      `${session}/v720.m3u8?_HLS_msn=3&_HLS_part=0`,
      `${session}/v720/init-0.mp4`,
      `${session}/v720/3.2.m4s`,
      `/${id}/thumbnail.jpg`,
      `/player/${id}`,
    ];
    for (const path of paths) expect([path, ...(await statusesOf(path))]).toEqual([path, 200, 403]);
    await workspace.request("PATCH", at(stream, `/playback-ids/${id}/domains`), { ...RULES, allow: ["other.test"] });
    for (const path of paths)
      await until(
        () => statusesOf(path),
        ([here]) => here === 403,
      );
  });

  test("has a recording and clips that begin with these rules, and are then changed by themselves", async () => {
    const live = await restricted();
    const made = await workspace.request("POST", at(live.stream, "/clips"), { startTime: 0, endTime: 4 });
    const { data: clip } = await made.json<{ data: { playbackIds: { accessRestrictions: object }[] } }>();
    expect(clip.playbackIds[0]!.accessRestrictions).toMatchObject({ domains: RULES });
    await end(live);
    const led = await from(`/${live.id}.m3u8`, HERE);
    expect([led.status, (await from(`/${live.id}.m3u8`, ELSEWHERE)).status]).toEqual([302, 403]);
    const recording = `/${led.headers.get("location")!}`;
    expect(await statusesOf(recording)).toEqual([200, 403]);
    const item = `/v1/on-demand/${live.sessionId}/playback-ids/${recording.slice(1, 37)}/domains`;
    await workspace.request("PATCH", item, { defaultPolicy: "allow" });
    expect(await statusesOf(recording)).toEqual([200, 200]);
    expect(await statusesOf(`/${live.id}.m3u8`)).toEqual([302, 403]);
  });

  test("gives a recording the rules of the playback ID that has its policy", async () => {
    const stream = await newStream(workspace, { mediaPolicy: "private" });
    const accessRestrictions = { domains: RULES };
    const more = { accessPolicy: "private", accessRestrictions, resolution: "720p" };
    await workspace.request("POST", at(stream, "/playback-ids"), more);
    const { sessionId } = await broadcast(stream, 1);
    await settle(stream);
    const { data } = await (await workspace.request("GET", `/v1/on-demand/${sessionId}`)).json<{ data: object }>();
    expect(data).toMatchObject({ playbackIds: [more] });
  });
});

test("a private clip plays with a token of its own, and through the private stream that it was cut from", async () => {
  const live = await onAir({ mediaPolicy: "private" });
  const made = await workspace.request("POST", at(live.stream, "/clips"), { startTime: 0, endTime: 4 });
  const { data } = await made.json<{ data: { id: string; playbackIds: { id: string; accessPolicy: string }[] } }>();
  const [clip] = data.playbackIds;
  expect(clip!.accessPolicy).toBe("private");
  expect(await statusOf(`/${clip!.id}.m3u8`)).toBe(401);
  expect(await statusOf(`/${clip!.id}.m3u8?token=${await signToken(keyId, clip!.id)}`)).toBe(400); // is being copied
  const range = await (await get(`/${live.id}.m3u8?start=0s&end=4s&token=${live.token}`)).text();
  const playlist = `/${lineOf(range, "/v720.m3u8?clip=")}`;
  expect(playlist).toContain("~");
  expect(await statusOf(playlist)).toBe(200);
  expect(await statusOf(playlist.replace(/v720\.m3u8.*/, "v720/1.m4s"))).toBe(200);
});
