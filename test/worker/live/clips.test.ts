/** Clips of a stream that play on demand and become media. */
import {
  createExecutionContext,
  createMessageBatch,
  env,
  getQueueResult,
  runDurableObjectAlarm,
  runInDurableObject,
} from "cloudflare:test";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { eq } from "drizzle-orm";
import { assets } from "../../../src/library/assets/tables.ts";
import { openDatabase } from "../../../src/platform/database.ts";
import type { Env } from "../../../src/platform/env.ts";
import { consumePurges } from "../../../src/library/assets/index.ts";
import { forgetPlayback } from "../../../src/playback/index.ts";
import { consumeClips, sweepClips } from "../../../src/live/index.ts";
import { CLIPS_PER_HOUR, saveClip, VIEWER_CLIPS_PER_HOUR } from "../../../src/live/clips/save-clip.ts";
import { SWEPT_AT_ONCE } from "../../../src/live/clips/sweep-clips.ts";
import { originOf } from "../../../src/live/origin/origin-calls.ts";
import { type ErrorBody, newWorkspace, type TestWorkspace } from "../workspace.ts";
import { at, elapse, eventsOf, finish, getStream, newStream, refusal, settle, type Stream } from "./live-helpers.ts";
import { bring, bringInit, broadcast, get, objectsOf, textOf } from "./recording-helpers.ts";

let workspace: TestWorkspace;
beforeAll(async () => {
  workspace = await newWorkspace();
});

interface Media {
  id: string;
  status: string;
  playbackIds: { id: string; accessPolicy: string }[];
  [field: string]: unknown;
}
const clipsOf = async ({ streamId }: Stream, by = workspace) =>
  (await (await by.request("GET", `/v1/on-demand/${streamId}/live-clips`)).json<{ data: Media[] }>()).data;
const mediaOf = (id: string) => workspace.request("GET", `/v1/on-demand/${id}`);

/** Runs the queue's messages until the clip is whole. */
async function copy(mediaId: string, { from = 0, attempts = 1 } = {}) {
  const message = { id: crypto.randomUUID(), timestamp: new Date(), attempts, body: { mediaId, from } };
  const batch = createMessageBatch("sluice-clips", [message]);
  await consumeClips(env, batch);
  const { explicitAcks, retryMessages } = await getQueueResult(batch, createExecutionContext());
  return { acks: explicitAcks.length, retries: retryMessages.length };
}

async function onAir(segments = 6, settings: object = { allowViewerClips: true }) {
  const stream = await newStream(workspace, settings);
  const broadcaster = await broadcast(stream, segments);
  await settle(stream);
  const url = `/${stream.playbackIds[0]!.id}`;
  return { stream, broadcaster, url, session: `${url}/${broadcaster.sessionId}` };
}

describe("a clip of a stream on air", () => {
  test("plays immediately from whole live segments, and becomes an asset with its own bytes", async () => {
    const { stream, broadcaster, url, session } = await onAir();
    const multivariant = await get(`${url}.m3u8?start=3s&end=6.5s`);
    expect([multivariant.status, multivariant.headers.get("content-type")]).toEqual([
      200,
      "application/vnd.apple.mpegurl",
    ]);
    expect(await multivariant.text()).toContain(`\n${session.slice(1)}/v720.m3u8?clip=1-3\n`);
    const playlist = await textOf(`${session}/v720.m3u8?clip=1-3`);
    expect(playlist.split("\n").slice(4, -1)).toEqual([
      "#EXT-X-PLAYLIST-TYPE:VOD",
      "#EXT-X-INDEPENDENT-SEGMENTS",
      '#EXT-X-MAP:URI="v720/init-0.mp4"',
      "#EXT-X-PROGRAM-DATE-TIME:2026-11-18T11:06:42.000Z",
      ...[1, 2, 3].flatMap((msn) => ["#EXTINF:2.000000,", `v720/${msn}.m4s`]),
      "#EXT-X-ENDLIST",
    ]);
    expect(await textOf(`${session}/v720/1.m4s`)).toContain("[v720 1.0]");
    const mpd = await textOf(`${url}.mpd?start=3s&end=6.5s`);
    expect(mpd).toContain(`<BaseURL>${session.slice(1)}/</BaseURL>`);
    expect(mpd).toContain('timescale="48000" presentationTimeOffset="96000" startNumber="1"');

    const [clip, ...others] = await clipsOf(stream);
    expect(others).toEqual([]);
    const opened = { status: "Processing", streamId: stream.streamId, sourceMediaId: broadcaster.sessionId };
    expect(clip).toMatchObject(opened);
    expect(await copy(clip!.id)).toEqual({ acks: 1, retries: 0 });
    expect(await (await mediaOf(clip!.id)).json()).toMatchObject({
      data: { ...opened, status: "Ready", duration: "00:00:06" },
    });
    expect(await objectsOf(clip!.id)).toEqual(
      ["a1", "v720"].flatMap((name) => ["0.m4s", "1.m4s", "2.m4s", "init-0.mp4"].map((file) => `${name}/${file}`)),
    );
    const own = `/${clip!.playbackIds[0]!.id}`;
    expect(await textOf(`${own}/v720.m3u8`)).toContain('v720/init-0.mp4"');
    expect(await textOf(`${own}/v720/0.m4s`)).toContain("[v720 1.0]");
    expect(await textOf(`${own}.mpd`)).toContain('presentationTimeOffset="96000" startNumber="0"');
    expect((await eventsOf(clip!.id)).map(({ type, object }) => [type, object.type])).toEqual([
      ["video.media.live_clip.created", "media"],
      ["asset.ready", "media"],
    ]);
    expect((await getStream(workspace, stream.streamId)).mediaIds).toEqual([broadcaster.sessionId]); // clips are not recordings
  });

  test("is one media and one event for all requests for the same segments, in any notation", async () => {
    const { stream, url } = await onAir();
    const words = ["start=2s&end=6s", "start=2.5s&end=5.1s", "start=3.999s&end=6s"];
    const answers = await Promise.all(Array.from({ length: 30 }, (_, n) => get(`${url}.m3u8?${words[n % 3]}`)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set(await Promise.all(answers.map((answer) => answer.text()))).size).toBe(1);
    const clips = await clipsOf(stream);
    expect(clips).toHaveLength(1);
    await Promise.all([copy(clips[0]!.id), copy(clips[0]!.id)]);
    await copy(clips[0]!.id);
    expect((await eventsOf(clips[0]!.id)).map(({ type }) => type)).toEqual([
      "video.media.live_clip.created",
      "asset.ready",
    ]);
    await get(`${url}.m3u8?start=2s&end=6s&clipAccess=private`);
    expect((await clipsOf(stream)).map(({ playbackIds }) => playbackIds[0]!.accessPolicy)).toEqual([
      "private",
      "public",
    ]);
  });

  test.each([
    ["start=abc&end=40s", "start"],
    ["start=10&end=40s", "start"],
    ["start=-1s&end=40s", "start"],
    ["start=1s", "end"],
    ["end=4s", "start"],
    ["start=4s&end=2s", "end"],
    ["start=4s&end=4s", "end"],
    ["start=1s&end=4s&clipAccess=drm", "clipAccess"],
    ["start=12s&end=14s", "start"], // beyond the live edge
    ["start=1s&end=4s&resolution=big", "resolution"],
  ])("is refused for %s", async (query, field) => {
    const { stream, url } = await onAir(2);
    const answer = await get(`${url}.m3u8?${query}`);
    expect(answer.status).toBe(422);
    const { error } = await answer.json<ErrorBody>();
    expect(error.fields!.map((problem) => problem.field)).toEqual([field]);
    expect(await clipsOf(stream)).toEqual([]);
  });

  test("that ends in the future is not ready, and plays once its end has been broadcast", async () => {
    const { stream, broadcaster, url } = await onAir(2);
    const early = await get(`${url}.m3u8?start=2s&end=6s`);
    expect([early.status, early.headers.get("retry-after"), (await early.json<ErrorBody>()).error.message]).toEqual([
      400,
      "1",
      expect.stringContaining("ready"),
    ]);
    for (const rendition of ["v720", "a1"]) await bring(broadcaster, 2, { rendition });
    expect((await get(`${url}.m3u8?start=2s&end=6s`)).status).toBe(200);
    await finish(workspace, stream);
    expect(await textOf(`${url}.m3u8?start=4s&end=90s`)).toContain("?clip=2-2"); // to the end
  });

  test("accepts no segments of other sessions, and no range without an end", async () => {
    const [mine, other] = [await onAir(1), await onAir(1)];
    for (const path of [
      `${other.url}/${mine.broadcaster.sessionId}/v720.m3u8?clip=0-0`,
      `${mine.session}/v720.m3u8?clip=0-`,
      `${mine.session}/v720.m3u8?clip=5-2`,
      `${mine.session}/v720.m3u8?clip=0-99999`,
      `${mine.session}/v9.m3u8?clip=0-0`,
      `${mine.session}/v720.m3u8?clip=7-9`,
    ])
      expect([path, (await get(path)).status]).toEqual([path, 404]);
    const stranger = await newWorkspace();
    await get(`${mine.url}.m3u8?start=0s&end=1s`);
    expect([(await clipsOf(mine.stream)).length, await clipsOf(mine.stream, stranger)]).toEqual([1, []]);
  });
});

describe("an anonymous request for a clip window", () => {
  const rowsAndObjects = async () => {
    const counts = await env.DB.prepare(
      "SELECT (SELECT count(*) FROM assets) AS media, (SELECT count(*) FROM playback_ids) AS ids, (SELECT count(*) FROM events) AS events",
    ).first();
    return { ...counts, objects: (await env.MEDIA.list()).objects.length };
  };

  test("plays, and writes nothing unless the stream allows viewers' clips", async () => {
    const { stream, url } = await onAir(6, {});
    expect(stream.allowViewerClips).toBe(false);
    const before = await rowsAndObjects();
    const windows = Array.from({ length: 16 }, (_, n) => `start=${n % 5}s&end=${(n % 5) + 1 + Math.floor(n / 5)}s`);
    const answers = await Promise.all(windows.map((window) => get(`${url}.m3u8?${window}&clipAccess=public`)));
    expect(answers.map(({ status }) => status)).toEqual(windows.map(() => 200));
    expect((await get(`${url}.mpd?start=1s&end=4s`)).status).toBe(200);
    expect(await rowsAndObjects()).toEqual(before);
    expect(await clipsOf(stream)).toEqual([]);
  });

  test("creates at most forty media per stream and hour, plays beyond them, and leaves twenty to the owner", async () => {
    const { stream, broadcaster, url } = await onAir(12);
    const make = (n: number) => get(`${url}.m3u8?start=${2 * Math.floor(n / 12)}s&end=${2 * (n % 12) + 1.5}s`);
    // Pairs of segments, each a clip of its own: 12 + 11 + … are 78.
    const pairs = Array.from({ length: 144 }, (_, n) => n).filter((n) => n % 12 >= Math.floor(n / 12));
    const answers = await Promise.all(pairs.map(make));
    expect([pairs.length, new Set(answers.map(({ status }) => status))]).toEqual([78, new Set([200])]);
    const count = async () =>
      (await env.DB.prepare("SELECT count(*) AS n FROM assets WHERE source_asset_id = ?")
        .bind(broadcaster.sessionId)
        .first<{ n: number }>())!.n;
    expect(await count()).toBe(VIEWER_CLIPS_PER_HOUR);
    const ownersShare = CLIPS_PER_HOUR - VIEWER_CLIPS_PER_HOUR;
    // From the first or the second segment on, of one to ten segments. Viewers have not created these: they are private.
    const own = async (n: number) => {
      const startTime = 2 * (n % 2);
      const body = { startTime, endTime: startTime + 2 * Math.floor(n / 2) + 1.5, accessPolicy: "private" };
      return (await workspace.request("POST", at(stream, "/clips"), body)).status;
    };
    const made = await Promise.all(Array.from({ length: ownersShare }, (_, n) => own(n)));
    expect([ownersShare, new Set(made)]).toEqual([20, new Set([201])]);
    expect(await count()).toBe(CLIPS_PER_HOUR);
    const more = { startTime: 0, endTime: 24, accessPolicy: "private" };
    const refused = await workspace.request("POST", at(stream, "/clips"), more);
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "60"]);
    await env.DB.prepare("UPDATE assets SET created_at = created_at - 3600000 WHERE source_asset_id = ?")
      .bind(broadcaster.sessionId)
      .run();
    expect((await workspace.request("POST", at(stream, "/clips"), more)).status).toBe(201); // after the hour
    expect(await count()).toBe(61);
  });

  test("beyond the hour's clips is refused before anything is written, and then for a minute without a query", async () => {
    const { streamId } = await newStream(workspace);
    const quiet: Env = { ...env, CLIPS: { ...env.CLIPS, send: async () => {} } as unknown as Queue }; // the clips have no segments
    const range = { kind: "range" as const, first: 0, last: 1, startSeconds: 0, endSeconds: 4 };
    const save = (by: "viewer" | "owner") => {
      const [sessionId, mediaId, playbackId] = Array.from({ length: 3 }, () => crypto.randomUUID()) as [
        string,
        string,
        string,
      ];
      const clip = { sessionId, mediaId, playbackId, range, access: "public" as const };
      return saveClip(quiet, streamId, clip, { publicUrl: "http://sluice.test", by });
    };
    for (let n = 0; n < VIEWER_CLIPS_PER_HOUR; n += 1) expect(await save("viewer")).toBe("made");
    const prepare = vi.spyOn(env.DB, "prepare");
    try {
      expect(await save("viewer")).toBe("limit");
      expect(prepare.mock.calls.flat().filter((statement) => /^insert/i.test(statement))).toEqual([]);
      prepare.mockClear();
      expect(await save("viewer")).toBe("limit");
      expect(prepare).not.toHaveBeenCalled();
      expect(await save("owner")).toBe("made"); // the rest of the hour's clips is the owner's
    } finally {
      prepare.mockRestore();
      await env.DB.prepare("DELETE FROM assets WHERE stream_id = ?").bind(streamId).run(); // they are never copied
    }
  });

  test("never gets a wider access policy than the stream's own", async () => {
    const { stream, url } = await onAir();
    await env.DB.prepare("UPDATE live_streams SET media_policy = 'private' WHERE id = ?").bind(stream.streamId).run();
    await get(`${url}.m3u8?start=0s&end=2s&clipAccess=public`);
    await get(`${url}.m3u8?start=2s&end=4s`);
    const policies = (await clipsOf(stream)).map(({ playbackIds }) => playbackIds[0]!.accessPolicy);
    expect(policies).toEqual(["private", "private"]);
    const wider = { startTime: 0, endTime: 4, accessPolicy: "public" };
    expect((await refusal(await workspace.request("POST", at(stream, "/clips"), wider))).fields).toEqual([
      { field: "accessPolicy", message: "must not be wider than the stream's mediaPolicy" },
    ]);
  });
});

describe("POST …/clips", () => {
  const post = (stream: Stream, body: object, by = workspace) => by.request("POST", at(stream, "/clips"), body);

  test("creates one media for the same segments, whatever the stream allows viewers", async () => {
    const { stream, broadcaster } = await onAir(3, {});
    const answers = await Promise.all([0, 0.5, 1].map((startTime) => post(stream, { startTime, endTime: 3 })));
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201]);
    const made = await Promise.all(answers.map((answer) => answer.json<{ playback_id: string; data: Media }>()));
    expect(new Set(made.map(({ data }) => data.id)).size).toBe(1);
    const { data, playback_id } = made[0]!;
    const { streamId } = stream;
    expect(data).toMatchObject({ streamId, sourceMediaId: broadcaster.sessionId, playbackIds: [{ id: playback_id }] });
    expect(await copy(data.id)).toEqual({ acks: 1, retries: 0 });
    expect(await textOf(`/${playback_id}/v720/1.m4s`)).toContain("[v720 1.0]");
    await workspace.request("DELETE", `/v1/on-demand/${data.id}`);
    expect((await post(stream, { startTime: 0, endTime: 3 })).status).toBe(404);
  });

  test.each([
    [{}, ["startTime", "endTime"]],
    [{ startTime: 4, endTime: 2 }, ["endTime"]],
    [{ startTime: -1, endTime: 2 }, ["startTime"]],
    [{ startTime: 0, endTime: 1e9 }, ["endTime"]],
    [{ startTime: 0, endTime: 2, accessPolicy: "drm" }, ["accessPolicy"]],
    [{ startTime: 40, endTime: 42 }, ["startTime"]],
  ])("refuses %j", async (body, fields) => {
    const { stream } = await onAir(2, {});
    const answer = await refusal(await post(stream, body));
    expect([answer.status, answer.fields!.map(({ field }) => field)]).toEqual([422, fields]);
  });

  test("is refused for a stream of another workspace, one that has not been on air, and an end in the future", async () => {
    const { stream } = await onAir(2, {});
    const body = { startTime: 0, endTime: 10 };
    expect((await post(stream, body)).status).toBe(400);
    expect((await post(await newStream(workspace), body)).status).toBe(400);
    expect((await post(stream, body, await newWorkspace())).status).toBe(404);
  });
});

test("the cron enqueues a bounded number of stalled clips again, the longest stalled first", async () => {
  const { stream, broadcaster } = await onAir(1);
  await workspace.request("POST", at(stream, "/clips"), { startTime: 0, endTime: 1 });
  const db = openDatabase(env.DB);
  const [clip] = await db.select().from(assets).where(eq(assets.sourceAssetId, broadcaster.sessionId));
  const older = Array.from({ length: 250 }, (_, n) => ({
    ...clip!,
    id: `silent-${n + 1}`,
    updatedAt: new Date(n + 1),
  }));
  for (const row of older) await db.insert(assets).values(row);
  const now = new Date(Date.now() + 60_000);
  const sent: string[] = [];
  const queue = { send: async ({ mediaId }: { mediaId: string }) => void sent.push(mediaId) } as never;
  await sweepClips({ ...env, CLIPS: queue }, now);
  const numbers = () => sent.map((id) => Number(id.split("-").at(-1))).toSorted((a, b) => a - b);
  expect(numbers()).toEqual(Array.from({ length: SWEPT_AT_ONCE }, (_, n) => n + 1));
  for (let run = 0; run < 3; run += 1) await sweepClips({ ...env, CLIPS: queue }, now);
  expect(numbers()).toEqual(Array.from({ length: 250 }, (_, n) => n + 1)); // each once
  await env.DB.prepare("DELETE FROM assets WHERE id LIKE 'silent-%'").run();
});

describe("a clip and its source", () => {
  test("outlives the recording, also at the stream's address; the recording's deletion waits for its copy", async () => {
    const { stream, broadcaster, url } = await onAir(3);
    const query = "start=0s&end=4s";
    await broadcaster.left();
    await get(`${url}.m3u8?${query}`);
    await finish(workspace, stream);
    const [clip] = await clipsOf(stream);
    await workspace.request("DELETE", `/v1/on-demand/${broadcaster.sessionId}`);
    const purge = async () => {
      const body = { assetId: broadcaster.sessionId, pass: 1 };
      await consumePurges(
        env,
        createMessageBatch("sluice-purges", [{ id: "1", timestamp: new Date(), attempts: 1, body }]),
      );
    };
    await purge();
    expect((await objectsOf(broadcaster.sessionId)).length).toBeGreaterThan(0);
    await copy(clip!.id);
    await purge();
    expect(await objectsOf(broadcaster.sessionId)).toEqual([]);
    const own = clip!.playbackIds[0]!.id;
    expect(await textOf(`/${own}/v720/1.m4s`)).toContain("[v720 1.0]");
    const clipUrl = `${url}.m3u8?${query}&resolution=720p`; // not from this isolate's memory
    expect(await textOf(clipUrl)).toContain(`${own}/v720.m3u8`);
    expect((await get(`${url}.m3u8?start=4s&end=5s`)).status).toBe(404);
  });

  test("is refused by its own rules at the stream's address once the recording is deleted", async () => {
    const { stream, broadcaster, url } = await onAir(3);
    const manifest = `${url}.m3u8?start=0s&end=4s`;
    await broadcaster.left();
    await get(manifest);
    await finish(workspace, stream);
    const [clip] = await clipsOf(stream);
    await copy(clip!.id);
    await workspace.request("DELETE", `/v1/on-demand/${broadcaster.sessionId}`);
    const refusalOf = async (salt: string) => {
      forgetPlayback(clip!.playbackIds[0]!.id);
      const answer = await get(`${manifest}&renditionOrder=${salt}`); // not from this isolate's memory
      return answer.status === 200 ? null : await refusal(answer);
    };
    expect(await refusalOf("asc")).toBeNull();
    const restrictions = { domains: { defaultPolicy: "deny", allow: [], deny: [] } };
    const change = "UPDATE playback_ids SET access_restrictions = ? WHERE target_id = ?";
    const userAgents = { defaultPolicy: "allow", allow: [], deny: [] };
    await env.DB.prepare(change)
      .bind(JSON.stringify({ ...restrictions, userAgents }), clip!.id)
      .run();
    expect(await refusalOf("desc")).toMatchObject({ status: 403 });
    await env.DB.prepare(change).bind(null, clip!.id).run();
    expect(await refusalOf("asc")).toBeNull();
    await env.DB.prepare("INSERT INTO playback_holds (target_id, cause_id, created_at) VALUES (?1, ?1, 0)")
      .bind(clip!.id)
      .run();
    expect(await refusalOf("desc")).toMatchObject({ status: 403, message: "moderation_hold" });
  });

  /** Deletes the index, as happens some time after the session's end. */
  const releaseIndex = async (sessionId: string) => {
    const origin = originOf(env, sessionId);
    await origin.release(0);
    await runDurableObjectAlarm(origin as never);
    expect(await origin.findRange(0, 1)).toBeNull();
  };

  test.each([
    ["that was not recorded", { enableRecording: false }],
    ["whose recording was deleted and purged", {}],
  ])("plays at the stream's address after the live index of a session %s was deleted", async (_, settings) => {
    const { stream, broadcaster, url } = await onAir(5, settings);
    const { sessionId } = broadcaster;
    const make = async (startTime: number, endTime: number) => {
      const made = await workspace.request("POST", at(stream, "/clips"), { startTime, endTime });
      const { data } = await made.json<{ data: Media }>();
      await copy(data.id);
      return { id: data.id, playbackId: data.playbackIds[0]!.id };
    };
    const [short, long] = [await make(0, 4), await make(2, 9)];
    await finish(workspace, stream);
    if (stream.enableRecording) await workspace.request("DELETE", `/v1/on-demand/${sessionId}`);
    for (const pass of [1, 2]) {
      const message = { id: "1", timestamp: new Date(), attempts: 1, body: { assetId: sessionId, pass } };
      await consumePurges(env, createMessageBatch("sluice-purges", [message]));
    }
    expect(await objectsOf(sessionId)).toEqual([]);
    const windows = [
      ["start=0s&end=4s", short],
      ["start=1.5s&end=2.5s", short],
      ["start=2s&end=9s", long],
      ["start=3s&end=99s", long], // to the end
      ["start=4s&end=5s", null],
      ["start=0s&end=1s", null],
      ["start=50s&end=51s", null],
    ] as const;
    await releaseIndex(sessionId);
    const answers = windows.map(async ([window]) => {
      const answer = await get(`${url}.m3u8?${window}`);
      return answer.status === 200 ? /^(\S+)\/v720/m.exec(await answer.text())?.[1] : answer.status;
    });
    expect(await Promise.all(answers)).toEqual(windows.map(([, clip]) => clip?.playbackId ?? 404));
    const again = await workspace.request("POST", at(stream, "/clips"), { startTime: 0, endTime: 4 });
    expect(await again.json()).toMatchObject({ data: { id: short.id } });
    expect((await workspace.request("POST", at(stream, "/clips"), { startTime: 0, endTime: 1 })).status).toBe(404);
    await workspace.request("DELETE", `/v1/on-demand/${long.id}`);
    expect((await get(`${url}.mpd?start=2s&end=9s`)).status).toBe(404);
  });

  test("is the same from the recording after the session's live index was deleted", async () => {
    const { stream, broadcaster, url } = await onAir(4);
    for (const rendition of ["v720", "a1"]) {
      await bringInit(broadcaster, rendition, 1);
      await bring(broadcaster, 4, { rendition, init: 1, isDiscontinuous: true, atSeconds: 30 });
    }
    await finish(workspace, stream);
    const session = `${url}/${broadcaster.sessionId}`;
    const texts = async (salt: string) => [
      await textOf(`${url}.m3u8?start=3s&end=9s&renditionOrder=${salt}`),
      await textOf(`${url}.mpd?start=3s&end=9s&renditionOrder=${salt}`),
      await textOf(`${session}/v720.m3u8?clip=1-4`),
      await textOf(`${session}/a1.m3u8?clip=1-4`),
    ];
    const before = await texts("asc");
    const origin = originOf(env, broadcaster.sessionId);
    expect(await origin.findRange(0, 1)).not.toBeNull();
    const due = await runInDurableObject(origin as never, (_, state) => state.storage.getAlarm());
    expect(due).toBeGreaterThan(Date.now() + 23 * 3600_000); // players in the middle of the session have a day
    await releaseIndex(broadcaster.sessionId);
    const publishTime = /publishTime="[^"]*"/g;
    const after = await texts("desc"); // not from this isolate's memory
    expect(after.map((text) => text.replace(publishTime, ""))).toEqual(
      before.map((text) => text.replace(publishTime, "")),
    );
    const made = await workspace.request("POST", at(stream, "/clips"), { startTime: 0, endTime: 9 });
    const { data } = await made.json<{ data: Media }>();
    expect(await copy(data.id)).toEqual({ acks: 1, retries: 0 });
    expect(await (await mediaOf(data.id)).json()).toMatchObject({ data: { status: "Ready", duration: "00:00:10" } });
  });

  test("is not created again after its deletion, and still plays from the stream", async () => {
    const { stream, url } = await onAir(2);
    await get(`${url}.m3u8?start=0s&end=2s`);
    const [clip] = await clipsOf(stream);
    await workspace.request("DELETE", `/v1/on-demand/${clip!.id}`);
    expect(await copy(clip!.id)).toEqual({ acks: 1, retries: 0 });
    expect((await get(`${url}.m3u8?start=0s&end=2s&renditionOrder=asc`)).status).toBe(200);
    expect(await clipsOf(stream)).toEqual([]);
    expect((await eventsOf(clip!.id)).map(({ type }) => type)).toEqual([
      "video.media.live_clip.created",
      "video.media.deleted",
    ]);
  });

  test("is copied again after a crash, and fails when its segments are lost", async () => {
    const { stream, broadcaster, url } = await onAir(2);
    await get(`${url}.m3u8?start=0s&end=2s`);
    const [clip] = await clipsOf(stream);
    const updatedAt = async () =>
      (await env.DB.prepare("SELECT updated_at AS at FROM assets WHERE id = ?").bind(clip!.id).first<{ at: number }>())!
        .at;
    const before = await updatedAt();
    await sweepClips(env, new Date(before + 60_000));
    expect(await updatedAt()).toBe(before);
    await sweepClips(env, new Date(before + 121_000));
    expect(await updatedAt()).toBe(before + 121_000); // enqueued, and not enqueued again for the same time
    await env.MEDIA.delete(`assets/${broadcaster.sessionId}/renditions/v720/0.m4s`);
    expect(await copy(clip!.id)).toEqual({ acks: 0, retries: 1 });
    expect(await copy(clip!.id, { attempts: 10 })).toEqual({ acks: 1, retries: 0 });
    expect(await (await mediaOf(clip!.id)).json()).toMatchObject({
      data: { status: "Failed", error: { code: "clip_source_gone" } },
    });
    const stored = async () => (await env.MEDIA.list({ prefix: `assets/${clip!.id}/` })).objects.map(({ key }) => key);
    await vi.waitFor(async () => expect(await stored()).toEqual([]), { timeout: 10_000 }); // what was copied before it failed
    await elapse(stream, "silence");
  });
});

test("a stream that has never been on air has no clips; a media refuses the parameters, because it would play whole", async () => {
  const stream = await newStream(workspace);
  expect((await get(`/${stream.playbackIds[0]!.id}.m3u8?start=1s&end=2s`)).status).toBe(400);
  const recorded = await onAir(1);
  await finish(workspace, recorded.stream);
  const media = await (await mediaOf(recorded.broadcaster.sessionId)).json<{ data: Media }>();
  expect((await get(`/${media.data.playbackIds[0]!.id}.m3u8?start=abc`)).status).toBe(422);
});
