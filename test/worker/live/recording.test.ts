/** The recording of a broadcast, and the deletion of its bytes. */
import { createExecutionContext, createMessageBatch, env, getQueueResult, runInDurableObject } from "cloudflare:test";
import { beforeAll, describe, expect, test } from "vitest";
import { isOffAir } from "../../../src/live/index.ts";
import { consumePurges, sweepAssets } from "../../../src/library/assets/index.ts";
import { projectStream, type StreamMessage } from "../../../src/live/sessions/projection.ts";
import type { Sequenced } from "../../../src/platform/machine/outbox.ts";
import { addWebhook, deliveriesOf } from "../events/webhooks/webhook-rows.ts";
import { newWorkspace, type TestWorkspace } from "../workspace.ts";
import {
  connect,
  elapse,
  eventsOf,
  FACTS,
  finish,
  getStream,
  inMachine,
  newStream,
  settle,
  type Stream,
} from "./live-helpers.ts";
import { bring, bringInit, broadcast, get, objectsOf, textOf } from "./recording-helpers.ts";

let workspace: TestWorkspace;
beforeAll(async () => {
  workspace = await newWorkspace();
});

interface Media {
  id: string;
  status: string;
  playbackIds: { id: string }[];
  [field: string]: unknown;
}
const mediaOf = async (id: string): Promise<Media> =>
  (await (await workspace.request("GET", `/v1/on-demand/${id}`)).json<{ data: Media }>()).data;
const typesOf = async (id: string) => (await eventsOf(id)).map(({ type }) => type);
/** Runs the purge of a prefix; false when none is scheduled for the next minute. */
async function purge(assetId: string): Promise<boolean> {
  const machine = env.ASSET_MACHINE.get(env.ASSET_MACHINE.idFromName(assetId));
  const due = await runInDurableObject(machine, (_, state) =>
    state.storage.sql.exec<{ due: number }>("SELECT due FROM timers WHERE name = 'purge'").toArray(),
  );
  if (due[0] === undefined || due[0].due > Date.now() + 60_000) return false;
  const body = { assetId, pass: 1 };
  const batch = createMessageBatch("sluice-purges", [{ id: assetId, timestamp: new Date(), attempts: 1, body }]);
  await consumePurges(env, batch);
  return (await getQueueResult(batch, createExecutionContext())).explicitAcks.length === 1;
}
const READY = ["video.media.live_stream.created", "asset.ready", "live_stream.recording.ready"];

describe("the recording of a broadcast", () => {
  test("is a media that plays from the live segments as soon as the broadcast is finished", async () => {
    const stream = await newStream(workspace);
    const broadcaster = await broadcast(stream, 2);
    await bring(broadcaster, 2, { parts: 1 }); // the last segment stays unfinished
    await settle(stream);
    const before = await mediaOf(broadcaster.sessionId);
    const playbackId = before.playbackIds[0]!.id;
    const early = await get(`/${playbackId}.m3u8`);
    expect([before.status, early.status, await early.text()]).toEqual([
      "Processing",
      400,
      expect.stringMatching("ready"),
    ]);

    expect((await finish(workspace, stream)).status).toBe(200);
    const { id: mediaId, ...media } = await mediaOf(broadcaster.sessionId);
    expect(media).toMatchObject({
      status: "Ready",
      streamId: stream.streamId,
      duration: "00:00:05", // 4.5 s
      frameRate: "30/1",
      aspectRatio: "16:9",
      sourceResolution: "720p",
      progress: { percent: 100 },
      tracks: [
        { type: "video", width: 1280, height: 720, frameRate: "30/1" },
        { type: "audio", languageCode: "und" },
      ],
    });
    const multivariant = await textOf(`/${playbackId}.m3u8`);
    expect(multivariant).toContain(
      'CODECS="avc1.64001f,mp4a.40.2",RESOLUTION=1280x720,FRAME-RATE=30.000,CLOSED-CAPTIONS=NONE,AUDIO="audio"',
    );
    const playlist = await textOf(`/${playbackId}/v720.m3u8`);
    expect(playlist.split("\n").slice(6, -1)).toEqual([
      '#EXT-X-MAP:URI="v720/init-0.mp4"',
      "#EXT-X-PROGRAM-DATE-TIME:2026-11-18T11:06:40.000Z",
      "#EXTINF:2.000000,",
      "v720/0.m4s",
      "#EXTINF:2.000000,",
      "v720/1.m4s",
      "#EXTINF:0.500000,",
      "v720/2.m4s",
      "#EXT-X-ENDLIST",
    ]);
    expect(await textOf(`/${playbackId}/v720/2.m4s`)).toBe("[v720 2.0]");
    expect(await textOf(`/${playbackId}/v720/init-0.mp4`)).toBe("init v720 0");
    expect(await textOf(`/${playbackId}/a1/1.m4s`)).toContain("[a1 1.3]");
    expect(await textOf(`/${playbackId}.mpd`)).toContain('mediaPresentationDuration="PT4.501S"');

    const reported = await eventsOf(mediaId);
    expect(reported.map(({ type }) => type)).toEqual(READY);
    for (const { videoType, data } of reported.slice(1))
      expect([videoType, data.status, data["streamId"]]).toEqual(["video.media.ready", "Ready", stream.streamId]);
    expect((await getStream(workspace, stream.streamId)).mediaIds).toEqual([mediaId]);
  });

  test("continues across a reconnect, with the init segments and the times of each connection", async () => {
    const stream = await newStream(workspace);
    const first = await broadcast(stream, 1);
    await bring(first, 1, { parts: 2 });
    await first.left();
    const second = await connect(stream);
    await second.started();
    expect(second.resume).toMatchObject({ nextMsn: 2, initVersion: 1, seconds: 3 });
    const back = { init: 1, isDiscontinuous: true, atSeconds: 3 };
    for (const rendition of ["v720", "a1"]) {
      await bringInit(second, rendition, 1);
      await bring(second, 2, { ...back, rendition });
    }
    await second.left();
    await elapse(stream, "window");

    const { playbackIds, duration } = await mediaOf(first.sessionId);
    expect(duration).toBe("00:00:05");
    const playbackId = playbackIds[0]!.id;
    const playlist = await textOf(`/${playbackId}/v720.m3u8`);
    expect(playlist).toContain('v720/1.m4s\n#EXT-X-DISCONTINUITY\n#EXT-X-MAP:URI="v720/init-1.mp4"');
    expect(await textOf(`/${playbackId}/a1.m3u8`)).toContain("#EXT-X-GAP\n#EXTINF:1.000000,\na1/1.m4s");
    expect(await textOf(`/${playbackId}/v720/init-1.mp4`)).toBe("init v720 1");
    const mpd = await textOf(`/${playbackId}.mpd`);
    expect(mpd).toContain('<Period id="2" start="PT3S">');
    expect(mpd).toContain(
      'presentationTimeOffset="90000" startNumber="2" initialization="$RepresentationID$/init-1.mp4"',
    );
    expect(await typesOf(first.sessionId)).toEqual(READY);
  });

  test.each([
    ["sound alone", FACTS.renditions.slice(1), { isAudioOnly: true, tracks: [{ type: "audio" }] }],
    ["a picture alone", FACTS.renditions.slice(0, 1), { isAudioOnly: false, tracks: [{ type: "video" }] }],
  ])("of %s plays", async (_, renditions, expected) => {
    const stream = await newStream(workspace);
    const facts = { ...FACTS, renditions };
    const { sessionId } = await broadcast(stream, 2, facts);
    await finish(workspace, stream);
    const media = await mediaOf(sessionId);
    expect(media).toMatchObject({ status: "Ready", duration: "00:00:04", ...expected });
    const name = renditions[0]!.name;
    expect(await textOf(`/${media.playbackIds[0]!.id}.m3u8`)).toContain(`/${name}.m3u8`);
    expect(await textOf(`/${media.playbackIds[0]!.id}.mpd`)).toContain(`<Representation id="${name}"`);
  });

  test("stays when the stream is deleted, and loses all its bytes when it is deleted itself", async () => {
    const stream = await newStream(workspace);
    const { sessionId } = await broadcast(stream, 2);
    expect((await workspace.request("DELETE", `/v1/live/streams/${stream.streamId}`)).status).toBe(200);
    const media = await mediaOf(sessionId);
    expect([media.status, (await get(`/${media.playbackIds[0]!.id}/v720.m3u8`)).status]).toEqual(["Ready", 200]);
    await workspace.request("DELETE", `/v1/on-demand/${sessionId}`);
    expect((await get(`/${media.playbackIds[0]!.id}/v720.m3u8`)).status).toBe(404);
    expect([await purge(sessionId), await objectsOf(sessionId)]).toEqual([true, []]);
  });

  test("is sent to a webhook once under the name that both of its events have for published receivers", async () => {
    const owner = await newWorkspace();
    const stream = await newStream(owner);
    const service = await addWebhook(owner.id);
    const video = await addWebhook(owner.id, { naming: "video" });
    const matchedTypes = ["live_stream.recording.ready"];
    const filtered = await addWebhook(owner.id, { naming: "video", matchedTypes });
    await broadcast(stream, 1);
    await finish(owner, stream);
    const got = async (id: string) =>
      (await deliveriesOf(id)).map(({ type }) => type).filter((type) => type.endsWith(".ready"));
    expect((await got(service)).toSorted()).toEqual(["asset.ready", "live_stream.recording.ready"]);
    expect(await got(video)).toEqual(["asset.ready"]);
    expect(await got(filtered)).toEqual(["live_stream.recording.ready"]);
  });
});

describe("when a component crashes at the end of a broadcast", () => {
  const outbox = (stream: Stream) =>
    inMachine(stream, (_, state) =>
      state.storage.sql
        .exec<{ seq: number; kind: string; payload: string }>("SELECT * FROM outbox ORDER BY seq")
        .toArray()
        .map(({ payload, ...row }) => ({ ...row, payload: JSON.parse(payload) }) as Sequenced<StreamMessage>),
    );

  test("repeated and concurrent ends make one recording, with each event once", async () => {
    const stream = await newStream(workspace);
    const broadcaster = await broadcast(stream, 2);
    await settle(stream);
    await broadcaster.left();
    // The machine's outbox is blocked while D1 has no table of renditions.
    await env.DB.prepare("ALTER TABLE renditions RENAME TO renditions_gone").run();
    let messages: Awaited<ReturnType<typeof outbox>>;
    try {
      await elapse(stream, "window");
      messages = await outbox(stream);
      expect(await mediaOf(broadcaster.sessionId)).toMatchObject({ status: "Processing" });
      expect(await getStream(workspace, stream.streamId)).toMatchObject({ status: "active" });
    } finally {
      await env.DB.prepare("ALTER TABLE renditions_gone RENAME TO renditions").run();
    }
    expect(messages.map(({ kind }) => kind)).toContain("sessionEnded");
    await Promise.all([1, 2, 3].map(() => projectStream(env, stream.streamId, messages)));
    await settle(stream);
    await projectStream(env, stream.streamId, messages);
    expect(await typesOf(broadcaster.sessionId)).toEqual(READY);
    const { status, tracks } = await mediaOf(broadcaster.sessionId);
    expect([status, (tracks as unknown[]).length]).toEqual(["Ready", 2]);
    expect(await getStream(workspace, stream.streamId)).toMatchObject({ status: "idle" });
    const { data } = (await eventsOf(broadcaster.sessionId))[1]!;
    expect(data["tracks"]).toEqual(tracks);
  });

  test("a segment that is missing in R2 delays the recording", async () => {
    const stream = await newStream(workspace);
    const broadcaster = await broadcast(stream, 1);
    await bring(broadcaster, 1, { parts: 2 });
    await settle(stream);
    const origin = env.LIVE_ORIGIN.get(env.LIVE_ORIGIN.idFromName(broadcaster.sessionId));
    const rename = (from: string, to: string) =>
      runInDurableObject(origin, (_, state) => state.storage.sql.exec(`ALTER TABLE ${from} RENAME TO ${to}`).toArray());
    await rename("parts", "parts_gone"); // no upload to R2 works
    expect((await finish(workspace, stream)).status).toBe(200);
    expect(await mediaOf(broadcaster.sessionId)).toMatchObject({ status: "Processing" });
    expect((await outbox(stream)).map(({ kind }) => kind)).toContain("sessionEnded");
    await rename("parts_gone", "parts");
    await settle(stream);
    expect(await mediaOf(broadcaster.sessionId)).toMatchObject({ status: "Ready", duration: "00:00:03" });
    expect(await objectsOf(broadcaster.sessionId)).toContain("v720/1.m4s");
    expect(await typesOf(broadcaster.sessionId)).toEqual(READY);
  });

  test("an owner's concurrent change of the media is in the recording's event", async () => {
    const stream = await newStream(workspace);
    const { sessionId } = await broadcast(stream, 1);
    await settle(stream);
    const changes = [1, 2, 3].map((n) =>
      workspace.request("PATCH", `/v1/on-demand/${sessionId}`, { title: `Title ${n}` }),
    );
    await finish(workspace, stream);
    expect((await Promise.all(changes)).map((answer) => answer.status)).toEqual([200, 200, 200]);
    await settle(stream);
    const events = await eventsOf(sessionId);
    const readyAt = events.findIndex(({ type }) => type === "asset.ready");
    const changedBefore = events.slice(0, readyAt).findLast(({ type }) => type === "video.media.updated");
    const { title, status } = await mediaOf(sessionId);
    expect([events[readyAt]!.data.status, status]).toEqual(["Ready", "Ready"]);
    expect(events[readyAt]!.data["title"] ?? null).toBe(changedBefore?.data["title"] ?? null);
    const last = events.at(-1)!;
    expect(last.data["title"]).toBe(title);
    expect(title).toMatch(/^Title [123]$/);
  });
});

describe("unplayable bytes", () => {
  test("of a recording deleted on air stay for viewers, are deleted after the end, and no row is created again", async () => {
    const stream = await newStream(workspace);
    const broadcaster = await broadcast(stream, 6);
    await settle(stream);
    const playbackId = stream.playbackIds[0]!.id;
    expect((await workspace.request("DELETE", `/v1/on-demand/${broadcaster.sessionId}`)).status).toBe(200);
    await sweepAssets(env, new Date(Date.now() + 120_000), isOffAir);
    expect(await purge(broadcaster.sessionId)).toBe(false);
    await bring(broadcaster, 6);
    expect(await broadcaster.heartbeat(7)).toEqual({ continue: true, reason: null });
    const live = `/${playbackId}/${broadcaster.sessionId}/v720`;
    expect((await get(`${live}/0.m4s`)).status).toBe(200); // from R2
    await finish(workspace, stream);
    expect((await workspace.request("GET", `/v1/on-demand/${broadcaster.sessionId}`)).status).toBe(404);
    expect(await typesOf(broadcaster.sessionId)).toEqual(["video.media.live_stream.created", "video.media.deleted"]);
    expect((await get(`${live}/0.m4s`)).status).toBe(200); // a viewer behind the live edge
    await sweepAssets(env, new Date(Date.now() + 120_000), isOffAir);
    expect(await purge(broadcaster.sessionId)).toBe(false);
    await sweepAssets(env, new Date(Date.now() + 7 * 60_000), isOffAir);
    expect([await purge(broadcaster.sessionId), await objectsOf(broadcaster.sessionId)]).toEqual([true, []]);
    expect((await getStream(workspace, stream.streamId)).mediaIds).toEqual([]);
  });

  test("of a broadcast without a recording are deleted once its viewers have had time to finish", async () => {
    const stream = await newStream(workspace, { enableRecording: false });
    const broadcaster = await broadcast(stream, 2);
    await finish(workspace, stream);
    expect((await objectsOf(broadcaster.sessionId)).length).toBe(6);
    expect((await workspace.request("GET", `/v1/on-demand/${broadcaster.sessionId}`)).status).toBe(404);
    expect(await purge(broadcaster.sessionId)).toBe(false);
    const machine = env.ASSET_MACHINE.get(env.ASSET_MACHINE.idFromName(broadcaster.sessionId));
    await runInDurableObject(machine, (_, state) => state.storage.sql.exec("UPDATE timers SET due = 1").toArray());
    expect([await purge(broadcaster.sessionId), await objectsOf(broadcaster.sessionId)]).toEqual([true, []]);
  });

  test("are kept by the sweep while a recording is being written", async () => {
    const stream = await newStream(workspace);
    const { sessionId } = await broadcast(stream, 1);
    await settle(stream);
    await env.DB.prepare("UPDATE assets SET updated_at = 0 WHERE id = ?").bind(sessionId).run();
    await sweepAssets(env, new Date(), isOffAir);
    expect(await mediaOf(sessionId)).toMatchObject({ status: "Processing" });
    expect((await objectsOf(sessionId)).length).toBeGreaterThan(0);
    await finish(workspace, stream);
    expect(await typesOf(sessionId)).toEqual(READY);
  });
});
