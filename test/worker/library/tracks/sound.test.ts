/** Added audio tracks: the jobs of an encoder that this test plays, in any order and with failures. */
import { env, runInDurableObject } from "cloudflare:test";
import { eq } from "drizzle-orm";
import { beforeAll, describe, expect, test } from "vitest";
import type { AudioResult, JobResult } from "../../../../protocol/jobs.ts";
import { forgetPlayback } from "../../../../src/playback/index.ts";
import type { AssetComponents } from "../../../../src/library/asset-machine/core/components.ts";
import { finishRecording } from "../../../../src/library/assets/index.ts";
import { startTracks } from "../../../../src/library/assets/start-tracks.ts";
import { loadRecordedIndex } from "../../../../src/live/origin/recorded/recorded-index.ts";
import type { SegmentList } from "../../../../src/media/types.ts";
import { newTrack } from "../../../../src/library/tracks/store/new-track.ts";
import { addedTracks } from "../../../../src/library/tracks/store/tables.ts";
import { renditions, tracks } from "../../../../src/library/assets/tables.ts";
import { openDatabase } from "../../../../src/platform/database.ts";
import { renditionKey, trackSourceKey } from "../../../../src/platform/storage/keys.ts";
import { newWorkspace, type TestWorkspace } from "../../workspace.ts";
import { eventsOf, until } from "../../events/webhooks/webhook-rows.ts";
import { addRung, get, newAsset } from "../../playback/playable.ts";
import { callJob } from "../encoding/job-calls.ts";
import { sourceFacts } from "../../../support/source-facts.ts";
import { openSourceServer, type RemoteServer } from "../sources/source-servers.ts";

let server: RemoteServer;
let workspace: TestWorkspace;
beforeAll(async () => {
  [server, workspace] = [await openSourceServer(), await newWorkspace()];
  await server.add("/de.flac", { kind: "content", text: "bytes that only an encoder reads" });
});

const renditionOf = (trackId: string) => `at-${trackId.replaceAll("-", "").slice(0, 28)}`;
const sound = (trackId: string): JobResult => ({
  kind: "audio",
  rendition: {
    name: renditionOf(trackId),
    timescale: 48_000,
    init: { bytes: 700, sha256: "a".repeat(64), codec: "mp4a.40.2" },
    segments: [192_512, 95_488].map((durationTicks) => ({ durationTicks, bytes: 1000, keyframes: [] })),
  },
  channels: 2,
  encodeMs: 1,
  cpuMs: 1,
});

interface Track {
  id: string;
  status: string;
  error?: { code: string; fault: string };
}

/**
 * A ready media of 6 s, to which an audio track has been added; its file is in the store, and its probe is offered to the encoder.
 *
 * @param change of the media; one in processing has no rung and no probe yet
 * @param rung its segments
 */
async function newSound({ change = {}, rung }: { change?: Parameters<typeof newAsset>[0]; rung?: SegmentList } = {}) {
  const made = await newAsset({
    workspaceId: workspace.id,
    status: "ready",
    stage: "done",
    durationMs: 6000,
    frameRate: "25/1",
    ...change,
  });
  const isReady = change.status !== "processing";
  if (isReady) await addRung(made.assetId, "v720", rung === undefined ? {} : { segments: rung });
  const path = `/v1/on-demand/${made.assetId}/tracks`;
  const tracks = { url: `${server.origin}/de.flac`, type: "audio", languageCode: "de", languageName: "German" };
  const { data } = await (await workspace.request("POST", path, { tracks })).json<{ data: Track }>();
  const call = (kind: "probe" | "audio", action: string, body: unknown, attempt = 1) =>
    callJob(
      { assetId: made.assetId, job: `track.${data.id}.${kind}` },
      { method: "POST", path: action, body: JSON.stringify(body) },
      { attempt, renditions: [renditionOf(data.id)] },
    );
  const put = (file: string, bytes: string) =>
    callJob(
      { assetId: made.assetId, job: `track.${data.id}.audio` },
      { method: "PUT", path: `objects/${renditionOf(data.id)}/${file}`, body: bytes },
      { renditions: [renditionOf(data.id)] },
    );
  const read = async () => {
    const answer = await workspace.request("GET", `/v1/on-demand/${made.assetId}`);
    return (await answer.json<{ data: { tracks: Track[] } }>()).data.tracks.find(({ id }) => id === data.id);
  };
  const isContinued = async (kind: "probe" | "audio") => {
    const heartbeat = { attempt: 1, state: "running", progress: 0, speed: 0 };
    return (await (await call(kind, "heartbeat", heartbeat)).json<{ continue: boolean }>()).continue;
  };
  const cuts = (attempt = 1) =>
    callJob(
      { assetId: made.assetId, job: `track.${data.id}.audio` },
      { method: "GET", path: "cuts" },
      { attempt, renditions: [renditionOf(data.id)] },
    );
  if (isReady) await until(() => isContinued("probe"), Boolean);
  return { ...made, trackId: data.id, call, put, read, isContinued, cuts };
}
const facts = { kind: "probe", facts: sourceFacts(3000) };
const accepted = async (answer: Response) => (await answer.json<{ accepted: boolean }>()).accepted;

test("a probed file is encoded, joins the audio group, and is announced; its copy and its rendition are deleted with the track", async () => {
  const { assetId, playbackId, trackId, call, put, read, isContinued } = await newSound();
  expect(await env.MEDIA.head(trackSourceKey(assetId, trackId))).not.toBeNull();
  expect(await accepted(await call("probe", "complete", facts))).toBe(true);
  await until(() => isContinued("audio"), Boolean);
  expect((await put("init.mp4", "init")).status).toBe(204);
  expect((await put("0.m4s", "one")).status).toBe(204);
  expect(await accepted(await call("audio", "complete", sound(trackId)))).toBe(true);
  await until(read, (track) => track?.status === "available");
  expect((await put("1.m4s", "late")).status).toBe(410);
  expect((await eventsOf(assetId)).map(({ videoType }) => videoType)).toEqual([
    "video.media.track.created",
    "video.media.track.ready",
    "video.media.updated",
  ]);
  forgetPlayback(playbackId);
  const multivariant = await (await get(`/${playbackId}.m3u8`)).text();
  expect(multivariant).toContain('TYPE=AUDIO,GROUP-ID="audio",NAME="German",LANGUAGE="de",DEFAULT=YES');
  expect(await (await get(`/${playbackId}/${renditionOf(trackId)}.m3u8`)).text()).toContain("#EXTINF:4.010667");
  expect((await get(`/${playbackId}/${renditionOf(trackId)}/0.m4s`)).headers.get("content-type")).toBe("audio/mp4");

  await workspace.request("DELETE", `/v1/on-demand/${assetId}/tracks/${trackId}`);
  forgetPlayback(playbackId);
  expect(await (await get(`/${playbackId}.m3u8`)).text()).not.toContain("German");
  expect((await get(`/${playbackId}/${renditionOf(trackId)}.m3u8`)).status).toBe(404);
  const keys = [trackSourceKey(assetId, trackId), renditionKey(assetId, renditionOf(trackId), "0.m4s")];
  for (const key of keys)
    await until(
      async () => await env.MEDIA.head(key),
      (object) => object === null,
    );
  const rows = () => openDatabase(env.DB).select().from(renditions).where(eq(renditions.assetId, assetId));
  await until(rows, (found) => found.every(({ name }) => name !== renditionOf(trackId)));
});

describe("an encoder's failure", () => {
  test("of the file fails the track at once", async () => {
    const { call, read } = await newSound();
    expect(await accepted(await call("probe", "fail", { code: "source_not_media", message: "No media." }))).toBe(true);
    const track = await until(read, (one) => one?.status !== "preparing");
    expect(track).toMatchObject({ status: "failed", error: { code: "source_not_media", fault: "source" } });
  });

  test("of a file without sound is said", async () => {
    const { call, read } = await newSound();
    await call("probe", "complete", { kind: "probe", facts: { ...sourceFacts(3000), audio: [] } });
    const track = await until(read, (one) => one?.status !== "preparing");
    expect(track).toMatchObject({ status: "failed", error: { code: "source_no_streams" } });
  });

  test("of the service is tried three times", async () => {
    const { call, read } = await newSound();
    const failure = { code: "encoder_crashed", message: "It crashed." };
    for (const attempt of [1, 2, 3]) {
      expect((await read())?.status).toBe("preparing");
      expect(await accepted(await call("probe", "fail", failure, attempt))).toBe(true);
    }
    const track = await until(read, (one) => one?.status !== "preparing");
    expect(track).toMatchObject({ status: "failed", error: { code: "encoder_crashed", fault: "service" } });
  });
});

test("sounds and subtitles are listed in the order in which they were added, also those that were added in one request", async () => {
  const { assetId, playbackId } = await newAsset({ status: "ready", stage: "done" });
  await addRung(assetId);
  const names = Array.from({ length: 8 }, (_, n) => `Track ${n}`);
  const made = (kind: "audio" | "subtitle") =>
    names.map((languageName) => ({
      ...newTrack({ kind, url: null, languageCode: "en", languageName }, assetId, new Date(0)),
      status: "available" as const,
    }));
  const [sounds, subtitles] = [made("audio"), made("subtitle")];
  await openDatabase(env.DB).batch([
    openDatabase(env.DB).insert(addedTracks).values(sounds.slice(0, 4)),
    openDatabase(env.DB).insert(addedTracks).values(sounds.slice(4)),
    openDatabase(env.DB).insert(addedTracks).values(subtitles.slice(0, 4)),
    openDatabase(env.DB).insert(addedTracks).values(subtitles.slice(4)),
  ]);
  const change = { kind: "audio", origin: "track", codec: "mp4a.40.2", timescale: 48_000 } as const;
  for (const { id } of sounds) await addRung(assetId, renditionOf(id), change);
  const multivariant = await (await get(`/${playbackId}.m3u8`)).text();
  const namesOf = (type: string) =>
    [...multivariant.matchAll(new RegExp(`TYPE=${type},.*NAME="([^"]*)"`, "g"))].map(([, name]) => name);
  expect([namesOf("AUDIO"), namesOf("SUBTITLES")]).toEqual([names, names]);
});

test("a track that is deleted while it is encoded ends its jobs", async () => {
  const { assetId, trackId, call, isContinued } = await newSound();
  await workspace.request("DELETE", `/v1/on-demand/${assetId}/tracks/${trackId}`);
  await until(
    () => isContinued("probe"),
    (isOn) => !isOn,
  );
  expect(await accepted(await call("probe", "complete", facts))).toBe(false);
});

test("sound that replaces that of the source: nothing is offered before it is there", async () => {
  const response = await workspace.request("POST", "/v1/on-demand", {
    accessPolicy: "public",
    inputs: [
      { type: "video", url: "https://nobody.test/film.mp4" },
      { type: "audio", swapTrackUrl: `${server.origin}/de.flac` },
    ],
  });
  const { data, playback_id: playbackId } = await response.json<{
    data: { id: string; inputs: object[] };
    playback_id: string;
  }>();
  expect(data.inputs[1]).toEqual({ type: "audio", url: `${server.origin}/de.flac` });
  await addRung(data.id);
  await addRung(data.id, "a1", { kind: "audio", codec: "mp4a.40.2", timescale: 48_000, languageCode: "und" });
  expect((await get(`/${playbackId}.m3u8`)).status).toBe(400);
});

test("what cannot be mixed in is refused, and the answer names the field", async () => {
  const url = "https://x.test/a";
  const refusals: [input: object, field: string][] = [
    [{ swapTrackUrl: "ftp://x.test/a" }, "swapTrackUrl"],
    [{ imposeTracks: [{ url }] }, "swapTrackUrl"],
    [{ swapTrackUrl: url, imposeTracks: [{}] }, "imposeTracks[0].url"],
    [{ swapTrackUrl: url, imposeTracks: [{ url }, { url: "ftp://x.test/a" }] }, "imposeTracks[1].url"],
    [{ swapTrackUrl: url, imposeTracks: [{ url, startTime: 5, endTime: 5 }] }, "imposeTracks[0].endTime"],
    [{ swapTrackUrl: url, imposeTracks: [{ url, startTime: -1 }] }, "imposeTracks[0].startTime"],
    [{ swapTrackUrl: url, imposeTracks: [{ url, fadeInLevel: 0.5 }] }, "imposeTracks[0].fadeInLevel"],
    [{ swapTrackUrl: url, imposeTracks: [{ url, fadeOutLevel: 1e9 }] }, "imposeTracks[0].fadeOutLevel"],
    [{ swapTrackUrl: url, imposeTracks: Array.from({ length: 11 }, () => ({ url })) }, "imposeTracks"],
  ];
  for (const [input, field] of refusals) {
    const inputs = [
      { type: "video", url: "https://cdn.test/a.mp4" },
      { type: "audio", ...input },
    ];
    const answer = await workspace.request("POST", "/v1/on-demand", { inputs });
    const { error } = await answer.json<{ error: { fields: { field: string }[] } }>();
    expect([answer.status, error.fields.map((one) => one.field)]).toEqual([422, [`inputs[1].${field}`]]);
  }
});

test("sounds that are mixed in are fetched one by one, given to the encoder, announced, and deleted with the track", async () => {
  await server.add("/jingle.flac", { kind: "content", text: "a jingle" });
  const made = await newAsset({ workspaceId: workspace.id, status: "ready", stage: "done", durationMs: 6000 });
  await addRung(made.assetId);
  const span = { startMs: 1000, endMs: 3000, fadeInMs: 0, fadeOutMs: 1000 };
  const track = newTrack(
    {
      kind: "audio",
      url: `${server.origin}/de.flac`,
      languageCode: "und",
      languageName: "default",
      replacesSound: true,
      imposed: ["/jingle.flac", "/de.flac"].map((path) => ({ url: server.origin + path, ...span })),
    },
    made.assetId,
    new Date(),
  );
  const db = openDatabase(env.DB);
  const replaced = { id: crypto.randomUUID(), assetId: made.assetId, position: 9, kind: "audio" as const };
  await db.batch([db.insert(addedTracks).values(track), db.insert(tracks).values(replaced)]);
  await startTracks(env, [track]);
  const call = (kind: "probe" | "audio", request: { method: "GET" | "POST"; path: string; body?: string }) =>
    callJob({ assetId: made.assetId, job: `track.${track.id}.${kind}` }, request, {
      renditions: [renditionOf(track.id)],
    });
  const report = (kind: "probe" | "audio", path: string, body: object) =>
    call(kind, { method: "POST", path, body: JSON.stringify(body) });
  await until(async () => await accepted(await report("probe", "complete", facts)), Boolean);
  const planned = await runInDurableObject(
    env.ASSET_MACHINE.get(env.ASSET_MACHINE.idFromName(made.assetId)),
    (machine) =>
      (machine as unknown as { components: AssetComponents }).components.tracks.get(track.id)?.plan?.audio[0],
  );
  expect(planned).toMatchObject({ imposed: [span, span], bitrateBps: 128_000 });
  expect(await (await call("audio", { method: "GET", path: "imposed/0" })).text()).toBe("a jingle");
  expect((await call("audio", { method: "GET", path: "imposed/2" })).status).toBe(404);
  expect(await accepted(await report("audio", "complete", sound(track.id)))).toBe(true);
  const kinds = async () => (await eventsOf(made.assetId)).map(({ videoType }) => videoType);
  expect(await until(kinds, ({ length }) => length === 4)).toEqual([
    "video.media.track.ready",
    "video.media.audio_swap.ready",
    "video.media.impose_track.ready",
    "video.media.updated",
  ]);
  const record = await workspace.request("GET", `/v1/on-demand/${made.assetId}`);
  const { data } = await record.json<{ data: { tracks: Track[] } }>();
  expect(data.tracks.map(({ id }) => id)).toContain(track.id);
  expect(data.tracks.map(({ id }) => id)).not.toContain(replaced.id); // it is not offered any more
  await workspace.request("DELETE", `/v1/on-demand/${made.assetId}/tracks/${track.id}`);
  await until(
    async () => (await env.MEDIA.list({ prefix: trackSourceKey(made.assetId, track.id) })).objects.length,
    (count) => count === 0,
  );
});

/** Four segments of 2 s; the broadcaster came back after the second one, on a clock that had gone on to 9 s. */
const span = { first: 0, initVersion: 0, startTicks: 0, capturedAtMs: 1_795_000_000_000, isDiscontinuous: false };
const SPANS = [span, { ...span, first: 2, startTicks: 225, initVersion: 1, isDiscontinuous: true }];
const RECORDED = { durationTicks: [50, 50, 50, 50], bytes: [5000, 3000, 5000, 3000], keyframes: [], spans: SPANS };
/** As the encoder makes it of these. */
const recorded = (trackId: string, segmentBytes: number[]): JobResult => {
  const made = sound(trackId) as AudioResult;
  return { ...made, rendition: { ...made.rendition, segments: [] }, segmentBytes };
};

describe("sound that is added to the recording of a broadcast", () => {
  const newRecording = (change: { status?: "ready" | "processing" } = {}) =>
    newSound({ change: { streamId: crypto.randomUUID(), durationMs: 8000, ...change }, rung: RECORDED });

  test("is cut like the recording, plays on the clock of each span, and is deleted with the track", async () => {
    const { assetId, playbackId, trackId, call, put, read, isContinued, cuts } = await newRecording();
    const before = await (await get(`/${playbackId}/v720.m3u8`)).text();
    expect((await cuts()).status).toBe(410); // it is not encoded yet
    await call("probe", "complete", facts);
    await until(() => isContinued("audio"), Boolean);
    expect(await (await cuts()).json()).toMatchObject({
      endsUs: [2e6, 4e6, 6e6, 8e6],
      spans: [
        { first: 0, mediaUs: 0, isGap: false },
        { first: 2, mediaUs: 9e6, isGap: false },
      ],
    });
    expect((await cuts(2)).status).toBe(410); // the token of an attempt that is not the current one
    for (const file of ["init-0.mp4", "0.m4s", "1.m4s", "2.m4s", "3.m4s"])
      expect((await put(file, file)).status).toBe(204);
    const result = recorded(trackId, [1000, 1001, 1002, 1003]);
    const answers = await Promise.all([call("audio", "complete", result), call("audio", "complete", result)]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    await until(read, (track) => track?.status === "available");
    expect((await eventsOf(assetId)).map(({ videoType }) => videoType)).toEqual([
      "video.media.track.created",
      "video.media.track.ready",
      "video.media.updated",
    ]);
    forgetPlayback(playbackId);
    expect(await (await get(`/${playbackId}.m3u8`)).text()).toContain('NAME="German",LANGUAGE="de"');
    const playlist = await (await get(`/${playbackId}/${renditionOf(trackId)}.m3u8`)).text();
    expect(playlist.match(/#EXT-X-(MAP|DISC|END).*|\d\.m4s/g)).toEqual([
      `#EXT-X-MAP:URI="${renditionOf(trackId)}/init-0.mp4"`,
      "0.m4s",
      "1.m4s",
      "#EXT-X-DISCONTINUITY",
      "2.m4s",
      "3.m4s",
      "#EXT-X-ENDLIST",
    ]);
    expect(await (await get(`/${playbackId}/${renditionOf(trackId)}/2.m4s`)).text()).toBe("2.m4s");
    expect(await (await get(`/${playbackId}/v720.m3u8`)).text()).toBe(before);
    const mpd = await (await get(`/${playbackId}.mpd`)).text();
    expect(mpd.match(/<Period/g)).toHaveLength(2);
    expect(mpd).toContain('timescale="48000" presentationTimeOffset="432000" startNumber="2"');
    expect((await loadRecordedIndex(env, assetId))!.renditions.map(({ name }) => name)).toEqual(["v720"]);

    await workspace.request("DELETE", `/v1/on-demand/${assetId}/tracks/${trackId}`);
    forgetPlayback(playbackId);
    expect(await (await get(`/${playbackId}.m3u8`)).text()).not.toContain("German");
    for (const file of ["init-0.mp4", "3.m4s"])
      await until(
        async () => await env.MEDIA.head(renditionKey(assetId, renditionOf(trackId), file)),
        (object) => object === null,
      );
  });

  test("fails when its segments do not fit the recording", async () => {
    const { trackId, call, read, isContinued } = await newRecording();
    await call("probe", "complete", facts);
    await until(() => isContinued("audio"), Boolean);
    await call("audio", "complete", recorded(trackId, [1000, 0, 1002, 1003]));
    const track = await until(read, (one) => one?.status !== "preparing");
    expect(track).toMatchObject({ status: "failed", error: { code: "encoding_inconsistent", fault: "service" } });
  });

  test("while the broadcast is on air is prepared as soon as the recording is ready", async () => {
    const made = await newRecording({ status: "processing" });
    const { assetId, read, isContinued } = made;
    await until(
      async () => await env.MEDIA.head(trackSourceKey(assetId, made.trackId)),
      (object) => object !== null,
    );
    expect([await isContinued("probe"), (await read())?.status]).toEqual([false, "preparing"]);
    const event = { id: crypto.randomUUID(), type: "asset.ready" as const };
    const row = {
      assetId,
      name: "v720",
      kind: "video",
      codec: "avc1.64001f",
      origin: "ladder",
      isWhole: true,
    } as const;
    const rows = [{ ...row, timescale: 25, frameRateNum: 25, frameRateDen: 1, initBytes: 700, segments: RECORDED }];
    expect(await finishRecording(env, { mediaId: assetId, rows, events: [event], hasUsual: false }, new Date())).toBe(
      "ready",
    );
    await until(() => isContinued("probe"), Boolean);
  });

  test("that was added when it had no spans is not listed", async () => {
    const { assetId, playbackId } = await newAsset({
      workspaceId: workspace.id,
      streamId: crypto.randomUUID(),
      status: "ready",
      stage: "done",
      durationMs: 8000,
    });
    await addRung(assetId, "v720", { segments: RECORDED });
    const labels = { kind: "audio", url: null, languageCode: "de", languageName: "German" } as const;
    const track = { ...newTrack(labels, assetId, new Date()), status: "available" as const };
    await openDatabase(env.DB).batch([openDatabase(env.DB).insert(addedTracks).values(track)]);
    const rendition = { kind: "audio", origin: "track", codec: "mp4a.40.2", timescale: 48_000 } as const;
    await addRung(assetId, renditionOf(track.id), rendition);
    const [mpd, multivariant] = await Promise.all([get(`/${playbackId}.mpd`), get(`/${playbackId}.m3u8`)]);
    expect([mpd.status, multivariant.status]).toEqual([200, 200]);
    expect(await multivariant.text()).not.toContain("German");
  });
});
