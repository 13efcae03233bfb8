/** Who may play a broadcast at its stream's addresses once it has ended: the rules of its recording decide, too. */
import { env } from "cloudflare:test";
import { beforeAll, describe, expect, test } from "vitest";
import type { Started } from "../../../protocol/live.ts";
import { until } from "../events/webhooks/webhook-rows.ts";
import { addSigningKey, signToken } from "../playback/tokens.ts";
import { newWorkspace, send, type TestWorkspace } from "../workspace.ts";
import { at, FACTS, finish, newStream, settle } from "./live-helpers.ts";
import { broadcast } from "./recording-helpers.ts";

let workspace: TestWorkspace;
let keyId: string;
beforeAll(async () => {
  workspace = await newWorkspace();
  keyId = await addSigningKey(workspace.id);
});

const [PICTURE, ...SOUND] = FACTS.renditions;
/** With a second rung. */
const LADDER: Started = {
  ...FACTS,
  renditions: [PICTURE!, { ...PICTURE!, name: "v480", widthPx: 854, heightPx: 480 }, ...SOUND],
};

/** The window of a minute lists the last thirty. */
const SEGMENTS = 33;
const get = (path: string, origin: string | null = null) =>
  send(
    new Request(`http://sluice.test${path}`, {
      redirect: "manual",
      headers: origin === null ? {} : { origin },
    }),
  );
const statusOf = async (path: string, origin: string | null = null) => {
  const { status, body } = await get(path, origin);
  await body?.cancel();
  return status;
};

/** A stream with DVR on air. */
async function onAir(
  settings: object,
  accessPolicy: "public" | "private" = "public",
  segments = 3,
  facts: Started = FACTS,
) {
  const stream = await newStream(workspace, { enableDvrMode: true, ...settings }, accessPolicy);
  const broadcaster = await broadcast(stream, segments, facts);
  await settle(stream);
  const id = stream.playbackIds[0]!.id;
  return { stream, broadcaster, id, sessionId: broadcaster.sessionId, session: `/${id}/${broadcaster.sessionId}` };
}
type Live = Awaited<ReturnType<typeof onAir>>;

async function end({ stream, broadcaster }: Live): Promise<void> {
  await broadcaster.left();
  await settle(stream);
  await finish(workspace, stream);
  await settle(stream);
}

const endedAgo = (sessionId: string, seconds: number) =>
  env.DB.prepare("UPDATE live_sessions SET ended_at = ? WHERE id = ?")
    .bind(Date.now() - seconds * 1000, sessionId)
    .run();

/** Every address of the session that has media, or lists it. */
const addressesOf = ({ id, sessionId, session }: Live) => [
  `/${id}.${sessionId}.mpd`,
  `${session}/v720.m3u8`,
  `${session}/v720.m3u8?dvrMode=true`,
  `${session}/v720.m3u8?clip=0-1`,
  `${session}/v720/init-0.mp4`,
  `${session}/v720/0.m4s`,
  `${session}/v720/2.m4s`,
  `${session}/v720/2.3.m4s`,
  `/${id}.m3u8?start=0s&end=4s`,
  `/${id}.mpd?start=0s&end=4s`,
];

/** An isolate answers from memory for a second. */
const expectAll = async (paths: string[], status: number, origin: string | null = null) => {
  for (const path of paths)
    expect([
      path,
      await until(
        () => statusOf(path, origin),
        (found) => found === status,
      ),
    ]).toEqual([path, status]);
};

const addPlaybackId = async (path: string, body: object) => {
  const added = await workspace.request("POST", `${path}/playback-ids`, body);
  return (await added.json<{ data: { id: string } }>()).data.id;
};

describe("the private recording of a public stream", () => {
  test("plays to nobody at the stream's addresses a minute after the end", async () => {
    const live = await onAir({ mediaPolicy: "private" });
    for (const path of addressesOf(live)) expect([path, await statusOf(path)]).toEqual([path, 200]);
    await end(live);
    await endedAgo(live.sessionId, 61);
    await expectAll(addressesOf(live), 410);
    expect(await statusOf(`${live.session}/time`)).toBe(200);
  });

  test("plays to its end for a minute: what playlists without DVR list, and no more", async () => {
    const live = await onAir({ mediaPolicy: "private" }, "public", SEGMENTS);
    const { session, id, sessionId } = live;
    await end(live);
    const first = SEGMENTS - 30;
    await expectAll(
      [`${session}/v720/${first - 1}.m4s`, `${session}/v720/${first - 1}.0.m4s`, `${session}/a1/0.m4s`],
      410,
    );
    await expectAll([`${session}/v720.m3u8?clip=0-1`, `/${id}.m3u8?start=0s&end=4s`], 410);
    const end200 = [`${session}/v720/${first}.m4s`, `${session}/v720/init-0.mp4`, `${session}/a1/${SEGMENTS - 1}.m4s`];
    for (const path of end200) expect([path, await statusOf(path)]).toEqual([path, 200]);
    for (const path of [`${session}/v720.m3u8`, `${session}/v720.m3u8?dvrMode=true`]) {
      const playlist = await (await get(path)).text();
      expect(playlist).toMatch(new RegExp(`v720/${SEGMENTS - 1}\\.m4s\n#EXT-X-ENDLIST\n$`));
      expect(playlist).not.toContain(`v720/${first - 1}.m4s`);
    }
    expect(await statusOf(`/${id}.${sessionId}.mpd?dvrMode=true`)).toBe(200);
    expect(await statusOf(`${session}/v720/${SEGMENTS}.m4s`)).toBe(204); // the end, as every player is told
  });

  test("does not play through a playback ID that the stream is given after the end", async () => {
    const live = await onAir({ mediaPolicy: "private" }, "private");
    await end(live);
    const id = await addPlaybackId(at(live.stream), { accessPolicy: "public" });
    const session = `/${id}/${live.sessionId}`;
    await expectAll(addressesOf({ ...live, id, session }), 410);
  });

  test("is kept by caches for seconds while it is on air, and a public one for good", async () => {
    const keptOf = async (settings: object) => {
      const { session } = await onAir(settings);
      return (await get(`${session}/v720/1.m4s`)).headers.get("cache-control");
    };
    expect(await keptOf({ mediaPolicy: "private" })).toBe("public, max-age=3600, s-maxage=5");
    expect(await keptOf({ mediaPolicy: "public" })).toBe("public, max-age=31536000, immutable");
  });
});

describe("a recording", () => {
  const HERE = "https://www.example.com";
  const ELSEWHERE = "https://elsewhere.test";

  test("plays at its stream's addresses by the rules of a playback ID that it is given afterwards", async () => {
    const live = await onAir({ mediaPolicy: "private" });
    await end(live);
    await endedAgo(live.sessionId, 61);
    await expectAll(addressesOf(live), 410);
    const media = `/v1/on-demand/${live.sessionId}`;
    const domains = { defaultPolicy: "deny", allow: ["*.example.com"] };
    const more = { accessPolicy: "public", accessRestrictions: { domains } };
    await addPlaybackId(media, more);
    await expectAll(addressesOf(live), 200, HERE);
    await expectAll(addressesOf(live), 403, ELSEWHERE);
    const { headers } = await get(`${live.session}/v720/1.m4s`, HERE);
    expect([headers.get("cache-control"), headers.get("vary")]).toEqual(["private, max-age=3600", "Origin, Referer"]);
  });

  test("stops at its stream's addresses when its only playback ID is deleted", async () => {
    const live = await onAir({ mediaPolicy: "public" });
    await end(live);
    await endedAgo(live.sessionId, 61);
    await expectAll(addressesOf(live), 200);
    const own = "SELECT id FROM playback_ids WHERE target_id = ?";
    const recording = await env.DB.prepare(own).bind(live.sessionId).first<string>("id");
    await workspace.request("DELETE", `/v1/on-demand/${live.sessionId}/playback-ids?playbackId=${recording}`);
    await expectAll(addressesOf(live), 410);
  });

  test("with a smaller resolution than its stream is limited to it at the stream's addresses", async () => {
    const live = await onAir({ mediaPolicy: "public" }, "public", 3, LADDER);
    await end(live);
    await env.DB.prepare("UPDATE playback_ids SET resolution = '480p' WHERE target_id = ?").bind(live.sessionId).run();
    await endedAgo(live.sessionId, 61);
    await expectAll([`${live.session}/v720.m3u8`, `${live.session}/v720/0.m4s`], 404);
    await expectAll([`${live.session}/v480.m3u8`, `${live.session}/v480/0.m4s`], 200);
  });

  test("of a private stream plays on by the permit that the stream's manifest gave", async () => {
    const live = await onAir({ mediaPolicy: "private" }, "private");
    const token = await signToken(keyId, live.id);
    const manifest = await (await get(`/${live.id}.m3u8?token=${token}`)).text();
    const playlist = `/${manifest.split("\n").find((line) => line.endsWith("/v720.m3u8"))!}`;
    await end(live);
    await endedAgo(live.sessionId, 61);
    const segment = playlist.replace("v720.m3u8", "v720/0.m4s");
    await expectAll([playlist, segment], 200);
    await env.DB.prepare("DELETE FROM playback_ids WHERE target_id = ?").bind(live.sessionId).run();
    await expectAll([playlist, segment], 410);
  });
});

describe("a recording that moderation holds", () => {
  const hold = (id: string) =>
    env.DB.prepare("INSERT INTO playback_holds (target_id, cause_id, created_at) VALUES (?1, ?1, 0)").bind(id).run();

  test("does not play to its end either in the minute after it", async () => {
    const live = await onAir({ mediaPolicy: "public" });
    await end(live);
    await hold(live.sessionId);
    await expectAll(addressesOf(live), 403);
    expect(await (await get(`${live.session}/v720/1.m4s`)).json()).toMatchObject({
      error: { message: "moderation_hold" },
    });
  });

  test("does so neither for viewers who may not play the recording, who learn nothing of the hold", async () => {
    const live = await onAir({ mediaPolicy: "private" });
    await end(live);
    await hold(live.sessionId);
    await expectAll(addressesOf(live), 410);
  });

  test("has the page of a media that is held at its stream's address", async () => {
    const live = await onAir({ mediaPolicy: "public" });
    await end(live);
    await endedAgo(live.sessionId, 61);
    const page = async () => {
      const answer = await send(
        new Request(`http://sluice.test/player/${live.id}`, { headers: { accept: "text/html" } }),
      );
      return { status: answer.status, text: await answer.text() };
    };
    expect((await page()).status).toBe(200);
    await hold(live.sessionId);
    const { status, text } = await until(page, (found) => found.status !== 200);
    expect([status, text]).toEqual([403, expect.stringContaining("This video is not available")]);
    expect(text).not.toContain('id="player"');
  });
});

test("a broadcast that is not recorded plays to its end by the rules of its stream", async () => {
  const live = await onAir({ mediaPolicy: "private", enableRecording: false });
  await end(live);
  await endedAgo(live.sessionId, 61);
  const { id, sessionId, session } = live;
  for (const path of [`/${id}.${sessionId}.mpd`, `${session}/v720.m3u8?dvrMode=true`, `${session}/v720/0.m4s`])
    expect([path, await statusOf(path)]).toEqual([path, 200]);
});
