/** Broadcasts whose format, or whose picture or sound, changes: live playlists and MPDs, those of the recording, and clips name what each has. */
import {
  createExecutionContext,
  createMessageBatch,
  env,
  getQueueResult,
  runDurableObjectAlarm,
} from "cloudflare:test";
import { beforeAll, describe, expect, test } from "vitest";
import { readInit } from "../../../conformance/init-segment.ts";
import type { MediaAnswer, PlaylistAnswer, StreamEvidence } from "../../../conformance/ll-hls/evidence.ts";
import { parseMultivariant } from "../../../conformance/ll-hls/multivariant.ts";
import { parseMediaPlaylist } from "../../../conformance/ll-hls/parse.ts";
import { DATE_RULES } from "../../../conformance/ll-hls/rules/dates.ts";
import { PART_RULES } from "../../../conformance/ll-hls/rules/parts.ts";
import { REPORT_RULES } from "../../../conformance/ll-hls/rules/reports.ts";
import { TAG_RULES } from "../../../conformance/ll-hls/rules/tags.ts";
import { VARIANT_RULES } from "../../../conformance/ll-hls/rules/variants.ts";
import { WINDOW_RULES } from "../../../conformance/ll-hls/rules/window.ts";
import { judge } from "../../../conformance/rule.ts";
import type { MediaFormat } from "../../../protocol/init-facts.ts";
import type { LiveRendition, Started } from "../../../protocol/live.ts";
import { initSegment } from "../../../protocol/media/cmaf.ts";
import { consumeClips } from "../../../src/live/index.ts";
import { originOf } from "../../../src/live/origin/origin-calls.ts";
import { newWorkspace, send, type TestWorkspace } from "../workspace.ts";
import { at, type Broadcaster, connect, FACTS, finish, newStream, settle, type Stream } from "./live-helpers.ts";
import { bring, bringInit, get, textOf } from "./recording-helpers.ts";

let workspace: TestWorkspace;
beforeAll(async () => {
  workspace = await newWorkspace();
});

const [PICTURE, SOUND] = FACTS.renditions as [LiveRendition, LiveRendition];
/** The format of `FACTS`. */
const LARGE: MediaFormat = { codec: "avc1.64001f", widthPx: 1280, heightPx: 720, frameRate: 30 };
const SMALL: MediaFormat = { codec: "avc1.42c01e", widthPx: 960, heightPx: 720, frameRate: 25 };
const HEARD: MediaFormat = { codec: "mp4a.40.2", widthPx: null, heightPx: null, frameRate: null };

/** What a gateway reports of a broadcast with a picture of this format. */
const startedWith = ({ codec, widthPx, heightPx, frameRate }: MediaFormat, bitrateBps = 3_000_000): Started => ({
  ...FACTS,
  video: { codec: "h264", widthPx: widthPx!, heightPx: heightPx!, frameRate: frameRate! },
  renditions: [{ ...PICTURE, codec, widthPx, heightPx, bitrateBps }, SOUND],
});
const SOUND_ALONE: Started = { ...FACTS, video: null, renditions: [SOUND] };
const PICTURE_ALONE: Started = { ...FACTS, audio: null, renditions: [PICTURE] };

const AVC_CONFIG = Buffer.from("AWQACv/hABZnZAAKrLQhNgIgAAADACAAAAeB4kTUAQAEaO8Py/34+AA=", "base64");
/** An init segment of this format, of which checkers read the codec. */
function initOf({ codec, widthPx, heightPx }: MediaFormat): Uint8Array<ArrayBuffer> {
  if (widthPx === null || heightPx === null) {
    const audioSpecificConfig = Buffer.from([0x11, 0x90]); // AAC-LC, 48 kHz, stereo
    const sound = { kind: "audio" as const, timescale: 48_000, channels: 2, audioSpecificConfig, bitrateBps: 128_000 };
    return new Uint8Array(initSegment(sound));
  }
  const avcConfig = Buffer.concat([Buffer.from([1]), Buffer.from(codec.slice(5), "hex"), AVC_CONFIG.subarray(4)]);
  return new Uint8Array(
    initSegment({ kind: "video", timescale: 30_000, widthPx, heightPx, colorMatrix: 1, avcConfig }),
  );
}

interface Run {
  /** Of the picture; null = there is none. */
  picture: MediaFormat | null;
  hasSound?: boolean;
  segments?: number;
  msn?: number;
  version?: number;
  /** The gateway reports formats. */
  reports?: boolean;
}

/** Sends the init segments and the segments of one run. @returns the next sequence number */
async function sendRun(broadcaster: Broadcaster, run: Run): Promise<number> {
  const { picture, hasSound = true, segments = 3, msn = 0, version = 0, reports = true } = run;
  const formats = [
    ...(picture === null ? [] : [["v720", picture] as const]),
    ...(hasSound ? [["a1", HEARD] as const] : []),
  ];
  for (const [name, format] of formats)
    await bringInit(broadcaster, name, version, reports ? format : null, initOf(format));
  for (let n = 0; n < segments; n += 1)
    for (const [rendition] of formats)
      await bring(broadcaster, msn + n, {
        rendition,
        init: version,
        isDiscontinuous: n === 0 && msn > 0,
        atSeconds: (msn + n) * 2 + version * 30,
      });
  await broadcaster.heartbeat(msn + segments);
  return msn + segments;
}

const post = async ({ sessionId, token }: Broadcaster, path: string, body: object) => {
  const headers = { authorization: `Bearer ${token}` };
  const init = { method: "POST", headers, body: JSON.stringify(body) };
  return await send(new Request(`http://sluice.test/internal/live/${sessionId}/${path}`, init));
};
/** The same connection goes on with other media. */
const resumed = async (broadcaster: Broadcaster, names: string[]) => {
  const renditions = names.map((name) => ({ name, initSha256: "1".repeat(64) }));
  const opening = { id: crypto.randomUUID(), capturedAt: 1_795_000_100_000, renditions };
  const answer = await (await post(broadcaster, "resume", opening)).json<{ nextMsn: number; initVersion: number }>();
  return { msn: answer.nextMsn, version: answer.initVersion };
};

const playbackOf = (stream: Stream) => `/${stream.playbackIds[0]!.id}`;
async function recordingOf(sessionId: string): Promise<string> {
  const answer = await workspace.request("GET", `/v1/on-demand/${sessionId}`);
  return `/${(await answer.json<{ data: Stream }>()).data.playbackIds[0]!.id}`;
}
async function ended(stream: Stream, sessionId: string): Promise<string> {
  await finish(workspace, stream);
  await settle(stream);
  return await recordingOf(sessionId);
}

/** Runs the queue's message for a clip: its segments are copied. */
async function copied(mediaId: string): Promise<void> {
  const message = { id: crypto.randomUUID(), timestamp: new Date(), attempts: 1, body: { mediaId, from: 0 } };
  const batch = createMessageBatch("sluice-clips", [message]);
  await consumeClips(env, batch);
  expect((await getQueueResult(batch, createExecutionContext())).explicitAcks).toHaveLength(1);
}

/** The variants of a multivariant playlist: its formats. */
const variantsIn = (multivariant: string): string[] =>
  [...multivariant.matchAll(/#EXT-X-STREAM-INF:(.*)/g)].map(([, line]) =>
    ["CODECS", "RESOLUTION", "FRAME-RATE", "AUDIO"]
      .map((name) => new RegExp(`(?:^|,)${name}=("[^"]*"|[^,]*)`).exec(line!)?.[1]?.replaceAll('"', ""))
      .filter((value) => value !== undefined)
      .join(" "),
  );
/** The formats of each Period of an MPD: of its sets of pictures with their maxima, and of its sound. */
const periodsIn = (mpd: string): string[][] =>
  [...mpd.matchAll(/<Period.*?<\/Period>/g)].map(([period]) =>
    [...period.matchAll(/<AdaptationSet([^>]*contentType="(?:video|audio)"[^>]*)>.*?<\/AdaptationSet>/g)].map(
      ([set, of]) => {
        const value = (text: string, name: string) => new RegExp(` ${name}="([^"]*)"`).exec(text)?.[1];
        const own = /<Representation([^>]*)>/.exec(set)![1]!;
        const init = /initialization="\$RepresentationID\$\/([^"]*)\.mp4"/.exec(set)![1]!;
        const size = `${value(own, "width")}x${value(own, "height")}@${value(own, "frameRate")}`;
        const most = `${value(of!, "par")} ${value(of!, "maxWidth")}x${value(of!, "maxHeight")}@${value(of!, "maxFrameRate")}`;
        const isPicture = value(of!, "contentType") === "video";
        return [value(own, "codecs"), ...(isPicture ? [size, most] : []), init].join(" ");
      },
    ),
  );

/** Of live playlists, as they are read once. */
const LIVE_RULES = [...TAG_RULES, ...WINDOW_RULES, ...PART_RULES, ...REPORT_RULES, ...DATE_RULES, ...VARIANT_RULES];

/** The faults that the checker of HLS finds in a multivariant playlist, and in the media playlists and init segments that it refers to. */
async function faultsOf(path: string, rules = VARIANT_RULES): Promise<string[]> {
  const exchange = { askedAtMs: 0, answeredAtMs: 0, status: 200, headers: {} };
  const urlOf = (to: string) => new URL(to, "http://sluice.test").href;
  const pathOf = (url: string) => url.slice("http://sluice.test".length);
  const multivariant = parseMultivariant(await textOf(path), urlOf(path));
  const urls = [...multivariant.variants, ...multivariant.renditions].flatMap(({ url }) => url ?? []);
  const renditions = await Promise.all(
    [...new Set(urls)].map(async (url) => {
      const text = await textOf(pathOf(url));
      const answer: PlaylistAnswer = {
        ...exchange,
        url,
        purpose: "first",
        asked: null,
        text,
        playlist: parseMediaPlaylist(text, url),
      };
      const maps = [...text.matchAll(/#EXT-X-MAP:URI="([^"]*)"/g)].map(([, uri]) => new URL(uri!, url).href);
      const media = maps.map(async (init): Promise<MediaAnswer> => {
        const bytes = await (await get(pathOf(init))).bytes();
        const rest = { place: init, msn: null, byteLength: bytes.length, sha256: "", fragments: [], slices: null };
        return { ...exchange, url: init, purpose: "init", init: readInit(bytes), ...rest };
      });
      return { url, playlists: [answer], media: await Promise.all(media) };
    }),
  );
  const stream: StreamEvidence = {
    url: multivariant.url,
    multivariant,
    entry: { ...exchange, url: path },
    renditions,
    lagS: 0,
  };
  const verdicts = judge(rules, stream);
  expect(verdicts.find(({ id }) => id === "codecs-true")?.seen).toBeGreaterThan(0);
  return verdicts.flatMap(({ id, faults }) => faults.map(({ lines }) => `${id}: ${lines.join(" / ")}`));
}

const BOTH = "avc1.64001f,avc1.42c01e,mp4a.40.2 1280x720 30.000 audio";
const PERIODS = [
  ["avc1.64001f 1280x720@30 16:9 1280x720@30 init-0", "mp4a.40.2 init-0"],
  ["avc1.42c01e 960x720@25 4:3 960x720@25 init-1", "mp4a.40.2 init-1"],
];

/** Three segments of the large format; after a reconnect, three of the small one. */
async function returning(settings: object = {}, reports = true) {
  const stream = await newStream(workspace, settings);
  const first = await connect(stream, {}, {}, startedWith(LARGE));
  await first.started();
  await sendRun(first, { picture: LARGE, reports });
  await first.left();
  const second = await connect(stream, {}, {}, startedWith(SMALL));
  await second.started();
  const { nextMsn: msn, initVersion: version } = second.resume!;
  await sendRun(second, { picture: SMALL, msn, version, reports });
  await settle(stream);
  return { stream, broadcaster: second, sessionId: first.sessionId };
}

describe("a broadcaster that returns with another size, frame rate and profile", () => {
  test.each([
    ["reports formats", true],
    ["is of an earlier release, and reports them with `started` only", false],
  ])("has both formats while on air, when its gateway %s", async (_, reports) => {
    const { stream } = await returning({}, reports);
    expect(variantsIn(await textOf(`${playbackOf(stream)}.m3u8`))).toEqual([BOTH]);
    expect(periodsIn(await textOf(`${playbackOf(stream)}.mpd`))).toEqual(PERIODS);
    expect(await faultsOf(`${playbackOf(stream)}.m3u8`, LIVE_RULES)).toEqual([]);
  });

  test("has both in the recording, with the larger size in the media's record", async () => {
    const { stream, sessionId } = await returning();
    const recording = await ended(stream, sessionId);
    expect(variantsIn(await textOf(`${recording}.m3u8`))).toEqual([BOTH]);
    expect(periodsIn(await textOf(`${recording}.mpd`))).toEqual(PERIODS);
    expect(await faultsOf(`${recording}.m3u8`)).toEqual([]);
    const answer = await workspace.request("GET", `/v1/on-demand/${sessionId}`);
    const { data } = await answer.json<{ data: { tracks: object[]; aspectRatio: string; frameRate: string } }>();
    expect(data).toMatchObject({ aspectRatio: "16:9", frameRate: "30/1" });
    expect(data.tracks[0]).toMatchObject({ type: "video", width: 1280, height: 720, frameRate: "30/1" });
  });

  test("has in clip windows the formats of their segments, on air, from the live index and from the recording", async () => {
    const { stream, sessionId } = await returning();
    const small = "avc1.42c01e,mp4a.40.2 960x720 25.000 audio";
    /** An isolate knows the facts of a range for a second, so that each time has its own. */
    const windows = async (end: number) => {
      const of = async (query: string) => ({
        hls: variantsIn(await textOf(`${playbackOf(stream)}.m3u8?${query}`)),
        dash: periodsIn(await textOf(`${playbackOf(stream)}.mpd?${query}`)),
      });
      expect(await of(`start=0s&end=${end}s`)).toEqual({ hls: [BOTH], dash: PERIODS });
      expect(await of(`start=6s&end=${end}s`)).toEqual({ hls: [small], dash: [PERIODS[1]] });
      expect(await faultsOf(`${playbackOf(stream)}.m3u8?start=0s&end=${end}s`)).toEqual([]);
    };
    await windows(12);
    await ended(stream, sessionId);
    await windows(10);
    // The recording is found by the rows of its renditions once the live index is gone.
    const origin = originOf(env, sessionId);
    await origin.release(0);
    await runDurableObjectAlarm(origin as never);
    expect(await origin.findRange(0, 1)).toBeNull();
    await windows(8);
  });

  test.each([
    [0, 12, [BOTH], PERIODS],
    [6, 12, ["avc1.42c01e,mp4a.40.2 960x720 25.000 audio"], [PERIODS[1]]],
  ])("has the formats of its segments in a saved clip from %d to %d s", async (startTime, endTime, hls, dash) => {
    const { stream } = await returning();
    const answer = await workspace.request("POST", at(stream, "/clips"), { startTime, endTime });
    const { data } = await answer.json<{ data: { id: string } }>();
    await copied(data.id);
    const clip = await recordingOf(data.id);
    expect(variantsIn(await textOf(`${clip}.m3u8`))).toEqual(hls);
    expect(periodsIn(await textOf(`${clip}.mpd`))).toEqual(dash);
    expect(await faultsOf(`${clip}.m3u8`)).toEqual([]);
  });

  test("has the new format alone once the window has left the old one, and both in the DVR window", async () => {
    const { stream, broadcaster } = await returning({ enableDvrMode: true });
    for (let msn = 6; msn < 15; msn += 1)
      for (const rendition of ["v720", "a1"])
        await bring(broadcaster, msn, { rendition, init: 1, atSeconds: msn * 2 + 30 });
    const small = "avc1.42c01e,mp4a.40.2 960x720 25.000 audio";
    expect(variantsIn(await textOf(`${playbackOf(stream)}.m3u8?dvrMode=true`))).toEqual([BOTH]);
    expect(variantsIn(await textOf(`${playbackOf(stream)}.m3u8`))).toEqual([small]);
    expect(await faultsOf(`${playbackOf(stream)}.m3u8?dvrMode=true`, LIVE_RULES)).toEqual([]);
    expect(periodsIn(await textOf(`${playbackOf(stream)}.mpd?dvrMode=true`))).toEqual(PERIODS);
    expect(periodsIn(await textOf(`${playbackOf(stream)}.mpd`))).toEqual([PERIODS[1]]);
  });

  test("has a BANDWIDTH that covers the bit rates of both", async () => {
    const bandwidthOf = async (first: number, second: number) => {
      const stream = await newStream(workspace);
      const one = await connect(stream, {}, {}, startedWith(LARGE, first));
      await one.started();
      await sendRun(one, { picture: LARGE });
      await one.left();
      const other = await connect(stream, {}, {}, startedWith(SMALL, second));
      await other.started();
      await sendRun(other, { picture: SMALL, msn: other.resume!.nextMsn, version: other.resume!.initVersion });
      await settle(stream);
      const [hls, mpd] = [await textOf(`${playbackOf(stream)}.m3u8`), await textOf(`${playbackOf(stream)}.mpd`)];
      return [
        Number(/BANDWIDTH=(\d+)/.exec(hls)![1]),
        ...[...mpd.matchAll(/id="v720"[^>]*bandwidth="(\d+)"/g)].map(([, bps]) => Number(bps)),
      ];
    };
    const sound = 128_000 * 1.05;
    expect(await bandwidthOf(3e6, 6e6)).toEqual([6.3e6 + sound, 3.15e6, 6.3e6]);
    expect(await bandwidthOf(6e6, 3e6)).toEqual([6.3e6 + sound, 6.3e6, 3.15e6]);
  });
});

test("a change within a broadcast, which brings new init segments alone, is named", async () => {
  const stream = await newStream(workspace);
  const broadcaster = await connect(stream, {}, {}, startedWith(LARGE));
  await broadcaster.started();
  await sendRun(broadcaster, { picture: LARGE });
  await sendRun(broadcaster, { picture: SMALL, ...(await resumed(broadcaster, ["v720", "a1"])) });
  await settle(stream);
  expect(variantsIn(await textOf(`${playbackOf(stream)}.m3u8`))).toEqual([BOTH]);
  expect(periodsIn(await textOf(`${playbackOf(stream)}.mpd`))).toEqual(PERIODS);
  const recording = await ended(stream, broadcaster.sessionId);
  expect(variantsIn(await textOf(`${recording}.m3u8`))).toEqual([BOTH]);
  expect(periodsIn(await textOf(`${recording}.mpd`))).toEqual(PERIODS);
});

test("a rung whose first segment of a new Period has not arrived has the Period's init segment and format there", async () => {
  const stream = await newStream(workspace);
  const broadcaster = await connect(stream, {}, {}, startedWith(LARGE));
  await broadcaster.started();
  await sendRun(broadcaster, { picture: LARGE });
  const { msn, version } = await resumed(broadcaster, ["v720", "a1"]);
  await bringInit(broadcaster, "v720", version, SMALL, initOf(SMALL));
  await bringInit(broadcaster, "a1", version, HEARD, initOf(HEARD));
  await bring(broadcaster, msn, { rendition: "a1", init: version, isDiscontinuous: true, atSeconds: 36, parts: 1 });
  await settle(stream);
  expect(periodsIn(await textOf(`${playbackOf(stream)}.mpd`))).toEqual(PERIODS);
});

const AUDIO_ONLY = "mp4a.40.2";
const WITH_PICTURE = "avc1.64001f,mp4a.40.2 1280x720 30.000 audio";
const [LARGE_PERIOD] = PERIODS as [string[]];
const inVersion = (period: string[], version: number) => period.map((set) => set.replace("init-0", `init-${version}`));
const tagsOf = (playlist: string, ...tags: string[]) =>
  playlist.split("\n").filter((line) => tags.some((tag) => line.startsWith(tag)));

describe("a broadcast that begins with sound alone", () => {
  /** Three segments of sound; then three of picture and sound, in the same connection. */
  async function lateFilm(reports = true) {
    const stream = await newStream(workspace);
    const broadcaster = await connect(stream, {}, {}, SOUND_ALONE);
    await broadcaster.started();
    await sendRun(broadcaster, { picture: null, reports });
    await settle(stream);
    const before = {
      variants: variantsIn(await textOf(`${playbackOf(stream)}.m3u8`)),
      audioOnly: await isAudioOnly(stream),
      page: await textOf(`/player${playbackOf(stream)}`),
    };
    const place = await resumed(broadcaster, ["v720", "a1"]);
    await broadcaster.started(startedWith(LARGE));
    return { stream, broadcaster, before, place, sessionId: broadcaster.sessionId };
  }
  const isAudioOnly = ({ streamId }: Stream) =>
    env.DB.prepare("SELECT audio_only FROM live_streams WHERE id = ?").bind(streamId).first("audio_only");

  test("offers its pictures from their first segment on, at once", async () => {
    const { stream, broadcaster, before, place, sessionId } = await lateFilm();
    expect(before).toMatchObject({ variants: [AUDIO_ONLY], audioOnly: 1 });
    expect(before.page).toContain('data-images=""');
    await expect.poll(async () => variantsIn(await textOf(`${playbackOf(stream)}.m3u8`))).toEqual([WITH_PICTURE]);
    await sendRun(broadcaster, { picture: LARGE, ...place });
    await settle(stream);
    expect(place).toEqual({ msn: 3, version: 1 });
    const [video, audio] = await Promise.all(
      ["v720", "a1"].map((name) => textOf(`${playbackOf(stream)}/${sessionId}/${name}.m3u8`)),
    );
    const tags = ["#EXT-X-MEDIA-SEQUENCE", "#EXT-X-DISCONTINUITY", "#EXT-X-MAP", "#EXT-X-GAP"];
    expect(tagsOf(video!, ...tags)).toEqual([
      "#EXT-X-MEDIA-SEQUENCE:4",
      "#EXT-X-DISCONTINUITY",
      '#EXT-X-MAP:URI="v720/init-1.mp4"',
    ]);
    expect(tagsOf(audio!, ...tags)).toEqual([
      "#EXT-X-MEDIA-SEQUENCE:1",
      '#EXT-X-MAP:URI="a1/init-0.mp4"',
      "#EXT-X-DISCONTINUITY",
      '#EXT-X-MAP:URI="a1/init-1.mp4"',
    ]);
    expect(periodsIn(await textOf(`${playbackOf(stream)}.mpd`))).toEqual([
      ["mp4a.40.2 init-0"],
      inVersion(LARGE_PERIOD, 1),
    ]);
    expect(await faultsOf(`${playbackOf(stream)}.m3u8`, LIVE_RULES)).toEqual([]);
    expect(await isAudioOnly(stream)).toBe(0);
    await expect.poll(() => textOf(`/player${playbackOf(stream)}`)).toContain('data-images="poster"');
  });

  test("has a recording whose pictures are aligned with the sound", async () => {
    const { stream, broadcaster, place, sessionId } = await lateFilm();
    await sendRun(broadcaster, { picture: LARGE, ...place });
    const recording = await ended(stream, sessionId);
    expect(variantsIn(await textOf(`${recording}.m3u8`))).toEqual([WITH_PICTURE]);
    const durations = async (name: string) => {
      const lines = tagsOf(await textOf(`${recording}/${name}.m3u8`), "#EXTINF", "#EXT-X-GAP", "#EXT-X-DISCONTINUITY");
      return lines.map((line) => line.replace(/^#EXTINF:(\d+)\..*/, "$1 s").replace("#EXT-X-", ""));
    };
    expect(await durations("v720")).toEqual([
      "GAP",
      "2 s",
      "GAP",
      "2 s",
      "GAP",
      "2 s",
      "DISCONTINUITY",
      "2 s",
      "2 s",
      "2 s",
    ]);
    expect(await durations("a1")).toEqual(["2 s", "2 s", "2 s", "DISCONTINUITY", "2 s", "2 s", "2 s"]);
    expect(periodsIn(await textOf(`${recording}.mpd`))).toEqual([["mp4a.40.2 init-0"], inVersion(LARGE_PERIOD, 1)]);
    expect(await faultsOf(`${recording}.m3u8`)).toEqual([]);
    const answer = await workspace.request("GET", `/v1/on-demand/${sessionId}`);
    const { data } = await answer.json<{ data: Record<string, unknown> }>();
    expect(data).toMatchObject({ isAudioOnly: false, aspectRatio: "16:9", frameRate: "30/1" });
    expect(data["thumbnail"]).toContain("/thumbnail.png");
  });

  test("has the size and rate of its pictures too when its gateway reports them with `started` only", async () => {
    const { stream, broadcaster, place, sessionId } = await lateFilm(false);
    await sendRun(broadcaster, { picture: LARGE, ...place, reports: false });
    const recording = await ended(stream, sessionId);
    expect(variantsIn(await textOf(`${recording}.m3u8`))).toEqual([WITH_PICTURE]);
    expect(periodsIn(await textOf(`${recording}.mpd`))).toEqual([["mp4a.40.2 init-0"], inVersion(LARGE_PERIOD, 1)]);
  });

  test("has no picture again after the broadcaster has returned without one, and then the picture once more", async () => {
    const { stream, broadcaster, place, sessionId } = await lateFilm();
    const end = await sendRun(broadcaster, { picture: LARGE, ...place });
    await broadcaster.left();
    const second = await connect(stream, {}, {}, SOUND_ALONE);
    await second.started();
    await sendRun(second, { picture: null, msn: second.resume!.nextMsn, version: second.resume!.initVersion });
    expect(second.resume).toMatchObject({ nextMsn: end, initVersion: 2 });
    await settle(stream);
    await expect.poll(async () => variantsIn(await textOf(`${playbackOf(stream)}.m3u8`))).toEqual([AUDIO_ONLY]);
    expect(await isAudioOnly(stream)).toBe(1);
    const third = await resumed(second, ["v720", "a1"]);
    await second.started(startedWith(SMALL));
    await sendRun(second, { picture: SMALL, ...third });
    await settle(stream);
    await expect
      .poll(async () => variantsIn(await textOf(`${playbackOf(stream)}.m3u8`)))
      .toEqual(["avc1.64001f,avc1.42c01e,mp4a.40.2 1280x720 30.000 audio"]);
    const periods = [
      ["mp4a.40.2 init-0"],
      inVersion(LARGE_PERIOD, 1),
      ["mp4a.40.2 init-2"],
      inVersion(PERIODS[1]!, 1).map((set) => set.replace("init-1", "init-3")),
    ];
    expect(periodsIn(await textOf(`${playbackOf(stream)}.mpd`))).toEqual(periods);
    const recording = await ended(stream, sessionId);
    expect(periodsIn(await textOf(`${recording}.mpd`))).toEqual(periods);
    expect(await faultsOf(`${recording}.m3u8`)).toEqual([]);
  });
});

describe("a broadcast that begins with the picture alone", () => {
  test("gets its sound from the first segment that has it", async () => {
    const stream = await newStream(workspace);
    const broadcaster = await connect(stream, {}, {}, PICTURE_ALONE);
    await broadcaster.started();
    await sendRun(broadcaster, { picture: LARGE, hasSound: false });
    await settle(stream);
    expect(variantsIn(await textOf(`${playbackOf(stream)}.m3u8`))).toEqual(["avc1.64001f 1280x720 30.000"]);
    const place = await resumed(broadcaster, ["v720", "a1"]);
    await broadcaster.started(startedWith(LARGE));
    await sendRun(broadcaster, { picture: LARGE, ...place });
    await settle(stream);
    await expect.poll(async () => variantsIn(await textOf(`${playbackOf(stream)}.m3u8`))).toEqual([WITH_PICTURE]);
    const audio = await textOf(`${playbackOf(stream)}/${broadcaster.sessionId}/a1.m3u8`);
    expect(tagsOf(audio, "#EXT-X-MEDIA-SEQUENCE", "#EXT-X-DISCONTINUITY")).toEqual([
      "#EXT-X-MEDIA-SEQUENCE:4",
      "#EXT-X-DISCONTINUITY",
    ]);
    const periods = [[LARGE_PERIOD[0]], inVersion(LARGE_PERIOD, 1)];
    expect(periodsIn(await textOf(`${playbackOf(stream)}.mpd`))).toEqual(periods);
    expect(await faultsOf(`${playbackOf(stream)}.m3u8`, LIVE_RULES)).toEqual([]);

    const recording = await ended(stream, broadcaster.sessionId);
    expect(variantsIn(await textOf(`${recording}.m3u8`))).toEqual([WITH_PICTURE]);
    expect(periodsIn(await textOf(`${recording}.mpd`))).toEqual(periods);
    expect(tagsOf(await textOf(`${recording}/a1.m3u8`), "#EXT-X-GAP")).toHaveLength(3);
    expect(await faultsOf(`${recording}.m3u8`)).toEqual([]);
  });
});

test("a malformed format is refused", async () => {
  const { sessionId, token } = await connect(await newStream(workspace));
  for (const query of ["codec=", `codec=${"x".repeat(65)}`, "codec=a&widthPx=0", "codec=a&frameRate=no"]) {
    const init = { method: "PUT", headers: { authorization: `Bearer ${token}` }, body: "init" };
    const answer = await send(new Request(`http://sluice.test/internal/live/${sessionId}/init/v720/0?${query}`, init));
    expect(answer.status).toBe(422);
  }
});
