/** Answers of a stream's address and of a session's own addresses after the end of the broadcast. */
import { env, runInDurableObject } from "cloudflare:test";
import { beforeAll, describe, expect, test } from "vitest";
import type { LiveOrigin } from "../../../durable-objects/live-origin.ts";
import { newWorkspace, send, type TestWorkspace } from "../workspace.ts";
import { at, newStream, settle } from "./live-helpers.ts";
import { broadcast } from "./recording-helpers.ts";

let workspace: TestWorkspace;
beforeAll(async () => {
  workspace = await newWorkspace();
});

const get = (path: string) => send(new Request(`http://sluice.test${path}`, { redirect: "manual" }));
const factsOf = async (path: string) => {
  const { status, headers } = await get(path);
  return { status, location: headers.get("location"), kept: headers.get("cache-control") };
};

/** A broadcast of three segments that has been finished. */
async function finished(settings: object = {}) {
  const stream = await newStream(workspace, settings);
  const broadcaster = await broadcast(stream, 3);
  await broadcaster.left(); // otherwise the end would wait for the gateway
  await settle(stream);
  await workspace.request("PUT", at(stream, "/finish"));
  await settle(stream);
  return { stream, id: stream.playbackIds[0]!.id, sessionId: broadcaster.sessionId };
}

/** Moves the session's end into the past. */
const endedAgo = (sessionId: string, seconds: number) =>
  env.DB.prepare("UPDATE live_sessions SET ended_at = ? WHERE id = ?")
    .bind(Date.now() - seconds * 1000, sessionId)
    .run();

async function recordingOf(sessionId: string): Promise<string> {
  const query = env.DB.prepare("SELECT id FROM playback_ids WHERE target_id = ?").bind(sessionId);
  return (await query.first<string>("id"))!;
}

/** Deletes the session's index, as happens a day after its end. */
async function deleteIndex(sessionId: string): Promise<void> {
  const stub = env.LIVE_ORIGIN.get(env.LIVE_ORIGIN.idFromName(sessionId));
  await runInDurableObject<never, void>(
    stub as never,
    (async (origin: LiveOrigin) => {
      await origin.release(0);
      await origin.alarm();
    }) as never,
  );
}

/** An isolate caches a look-up for a second. */
const nextSecond = () => new Promise((done) => setTimeout(done, 1050));

describe("the address of a stream whose broadcast has ended", () => {
  test("serves the end for a minute: a static MPD, and ended playlists", async () => {
    const { id } = await finished();
    const mpd = await get(`/${id}.mpd`);
    expect([mpd.status, mpd.headers.get("cache-control")]).toEqual([200, "public, max-age=1"]);
    expect(await mpd.text()).toMatch(/<MPD (?![^>]* type=)[^>]*mediaPresentationDuration="PT6\.002S"/);
    const multivariant = await (await get(`/${id}.m3u8`)).text();
    const playlist = multivariant.split("\n").find((line) => line.endsWith("/v720.m3u8"))!;
    expect(await (await get(`/${playlist}`)).text()).toMatch(/v720\/2\.m4s\n#EXT-X-ENDLIST\n$/);
  });

  test("with recordingAtEnd, serves the recording as soon as it is ready, and the end to others", async () => {
    const { id, sessionId } = await finished();
    const recording = await recordingOf(sessionId);
    const setStatus = (status: string) =>
      env.DB.prepare("UPDATE assets SET status = ? WHERE id = ?").bind(status, sessionId).run();
    await setStatus("processing");
    expect(await factsOf(`/${id}.m3u8?recordingAtEnd=true`)).toMatchObject({ status: 400, kept: "no-store" });
    await setStatus("ready");
    await nextSecond();
    const redirect = { status: 302, location: `${recording}.m3u8?maxResolution=720p`, kept: "public, max-age=1" };
    expect(await factsOf(`/${id}.m3u8?recordingAtEnd=true&maxResolution=720p`)).toEqual(redirect);
    expect((await factsOf(`/${id}.mpd?recordingAtEnd=true`)).location).toBe(`${recording}.mpd`);
    for (const path of [`/${id}.m3u8`, `/${id}.mpd`, `/${id}.m3u8?recordingAtEnd=false`])
      expect(await factsOf(path)).toEqual({ status: 200, location: null, kept: "public, max-age=1" });
    expect((await get(`/${id}.m3u8?recordingAtEnd=yes`)).status).toBe(422);
  });

  test("then redirects to the recording, with the same query", async () => {
    const { id, sessionId } = await finished();
    await endedAgo(sessionId, 61);
    const recording = await recordingOf(sessionId);
    expect(await factsOf(`/${id}.mpd`)).toEqual({
      status: 302,
      location: `${recording}.mpd`,
      kept: "public, max-age=1",
    });
    expect(await factsOf(`/${id}.m3u8?max_resolution=720p&dvrMode=true`)).toMatchObject({
      status: 302,
      location: `${recording}.m3u8?maxResolution=720p`,
    });
    expect((await get(`/${recording}.m3u8`)).status).toBe(200);
    expect((await get(`/${id}.m3u8?maxResolution=7`)).status).toBe(422);
  });

  test("without a recording, answers 410 for ten minutes, then 400 until the next broadcast", async () => {
    const { id, sessionId } = await finished({ enableRecording: false });
    await endedAgo(sessionId, 61);
    for (const path of [`/${id}.mpd`, `/${id}.m3u8`])
      expect(await factsOf(path)).toEqual({ status: 410, location: null, kept: "public, max-age=1" });
    await endedAgo(sessionId, 601);
    await nextSecond();
    const answer = await get(`/${id}.m3u8`);
    expect([answer.status, answer.headers.get("cache-control")]).toEqual([400, "no-store"]);
    expect(await answer.json()).toMatchObject({ error: { message: expect.stringContaining("ready") as string } });
  });

  test("is not ready while the recording is being written, and redirects to it afterwards", async () => {
    const { id, sessionId } = await finished();
    const setStatus = (status: string) =>
      env.DB.prepare("UPDATE assets SET status = ? WHERE id = ?").bind(status, sessionId).run();
    await setStatus("processing");
    await endedAgo(sessionId, 61);
    expect(await factsOf(`/${id}.mpd`)).toEqual({ status: 400, location: null, kept: "no-store" });
    await setStatus("ready");
    await nextSecond();
    expect((await factsOf(`/${id}.mpd`)).status).toBe(302);
    await setStatus("errored");
    await nextSecond();
    expect((await factsOf(`/${id}.mpd`)).status).toBe(410);
  });

  test("has a page that says what is to come, and plays the recording", async () => {
    const page = async (id: string) => {
      const answer = await get(`/player/${id}`);
      return [answer.status, /<h1>([^<]*)<\/h1>\s*<p>([^<]*)<\/p>/.exec(await answer.text())?.slice(1)];
    };
    const { playbackIds } = await newStream(workspace);
    expect(await page(playbackIds[0]!.id)).toEqual([
      200,
      ["This stream is not on air", "It starts here as soon as the broadcast begins."],
    ]);
    const { id, sessionId } = await finished();
    expect(await page(id)).toEqual([200, undefined]); // the recording
    await env.DB.prepare("UPDATE assets SET status = 'processing' WHERE id = ?").bind(sessionId).run();
    expect(await page(id)).toEqual([
      202,
      ["This broadcast has ended", "Its recording starts here as soon as it can be played."],
    ]);
    await env.DB.prepare("UPDATE assets SET status = 'errored' WHERE id = ?").bind(sessionId).run();
    expect(await page(id)).toEqual([200, ["This broadcast has ended", "The next one starts here by itself."]]);
  });

  test("answers 410 when the recording has been deleted", async () => {
    const { id, sessionId } = await finished();
    expect((await workspace.request("DELETE", `/v1/on-demand/${sessionId}`)).status).toBe(200);
    await endedAgo(sessionId, 61);
    expect(await factsOf(`/${id}.mpd`)).toMatchObject({ status: 410 });
  });

  test("plays the next broadcast within a second", async () => {
    const { stream, id, sessionId } = await finished();
    await endedAgo(sessionId, 3600);
    expect((await get(`/${id}.mpd`)).status).toBe(302);
    const next = await broadcast(stream, 2);
    await settle(stream);
    await nextSecond();
    const mpd = await (await get(`/${id}.mpd`)).text();
    expect(mpd).toContain('type="dynamic"');
    expect(mpd).toContain(`${id}/${next.sessionId}/`);
    expect(await (await get(`/${id}.m3u8`)).text()).toContain(`${id}/${next.sessionId}/v720.m3u8`);
  });

  test("causes at most one look-up a second, however often a client requests it", async () => {
    const { id, sessionId } = await finished();
    await endedAgo(sessionId, 61);
    await get(`/${id}.mpd`);
    await env.DB.prepare("DELETE FROM playback_ids WHERE target_id = ?").bind(sessionId).run();
    const answers = await Promise.all(Array.from({ length: 200 }, () => get(`/${id}.mpd`)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([302])); // from memory: D1 has other data
    await nextSecond();
    expect((await get(`/${id}.mpd`)).status).toBe(410);
  });
});

describe("a session's own addresses", () => {
  const paths = ({ id, sessionId }: { id: string; sessionId: string }) => ({
    mpd: `/${id}.${sessionId}.mpd`,
    playlist: `/${id}/${sessionId}/v720.m3u8`,
    media: `/${id}/${sessionId}/v720`,
  });

  test("serve the end while the session's index exists, then redirect to the recording", async () => {
    const session = await finished();
    const { mpd, playlist } = paths(session);
    await endedAgo(session.sessionId, 3600);
    expect(await (await get(mpd)).text()).toContain('type="static"');
    expect(await (await get(playlist)).text()).toContain("#EXT-X-ENDLIST");
    await deleteIndex(session.sessionId);
    const recording = await recordingOf(session.sessionId);
    const kept = "public, max-age=60";
    expect(await factsOf(mpd)).toEqual({ status: 302, location: `${recording}.mpd`, kept });
    expect(await factsOf(playlist)).toEqual({ status: 302, location: `../../${recording}/v720.m3u8`, kept });
    const { pathname } = new URL(`../../${recording}/v720.m3u8`, `http://sluice.test${playlist}`);
    expect((await get(pathname)).status).toBe(200);
  });

  test("answer 410 without a recording once the index has been deleted", async () => {
    const session = await finished({ enableRecording: false });
    await deleteIndex(session.sessionId);
    for (const path of [paths(session).mpd, paths(session).playlist])
      expect(await factsOf(path)).toMatchObject({ status: 410, location: null });
  });

  test("answer 204 for a segment after the end, and 404 for one that never existed", async () => {
    const session = await finished();
    const { media } = paths(session);
    const behind = await get(`${media}/3.m4s`);
    expect([behind.status, await behind.text(), behind.headers.get("cache-control")]).toEqual([
      204,
      "",
      "public, max-age=60",
    ]);
    expect((await get(`${media}/2.m4s`)).status).toBe(200);
    expect((await get(`${media}/3.0.m4s`)).status).toBe(404);
  });

  test("answer a request that is held when the broadcast ends like a later one", async () => {
    const stream = await newStream(workspace);
    const broadcaster = await broadcast(stream, 3);
    await settle(stream); // players find the session in D1
    const { media } = paths({ id: stream.playbackIds[0]!.id, sessionId: broadcaster.sessionId });
    const held = get(`${media}/3.m4s`);
    await broadcaster.left();
    await workspace.request("PUT", at(stream, "/finish"));
    await settle(stream);
    expect((await held).status).toBe(204);
  });
});
