/** Clips of media, made by the whole platform: every frame has its number in it, and every second its tone. */
import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { countedFilm, readCounter } from "../support/frame-counter.ts";
import { eventually, type LiveStreamRecord, newLiveStream } from "../support/live-watch.ts";
import { madeFile, madeStream } from "../support/made.ts";
import { isReady, type Media, sharedPlatform, type SharedPlatform } from "../support/platform.ts";
import { readPicture } from "../support/pictures.ts";
import { getBytes, readPlaylists } from "../support/playlists.ts";
import { picturesOf, runsOfMpd, runsOfPlaylist, soundOf } from "../support/presented.ts";
import { decodePictures } from "../support/rendition.ts";
import { type SourceServer, startSourceServer } from "../support/source-server.ts";
import { toneAt, tonesExpression } from "../support/tones.ts";

const SECONDS = 24;
/** Of 30000/1001. */
const frameSeconds = 1001 / 30000;
const TONES = Array.from({ length: SECONDS }, (_, n) => ({ fromSeconds: n, hz: 400 + 200 * (n % 12) }));
/** The second sound is this much higher. */
const HIGHER_HZ = 100;

let platform: SharedPlatform;
let server: SourceServer;

/** A film whose picture counts its frames. @param words of the encoder */
async function filmOf(words: string, extension: string): Promise<string> {
  const sounds = [0, HIGHER_HZ].flatMap((higher) => {
    const tones = TONES.map(({ fromSeconds, hz }) => ({ fromSeconds, hz: hz + higher }));
    return ["-f", "lavfi", "-i", `aevalsrc='${tonesExpression(tones)}':s=48000`];
  });
  const film = [...countedFilm("30000/1001", "640x360"), ...sounds, "-t", String(SECONDS), ...words.split(" ")];
  const name = `/film.${extension}`;
  server.add(name, { kind: "content", content: await readFile(await madeFile(film, extension)) });
  return server.url(name);
}

async function mediaOf(url: string, more: object = {}): Promise<{ assetId: string; playbackId: string }> {
  const created = await platform.create(url, more);
  await platform.until(created.assetId, isReady);
  return created;
}

async function clipOf(mediaId: string, times: { startTime?: number; endTime?: number }, more: object = {}) {
  const inputs = [{ type: "video", url: `fp_mediaId://${mediaId}`, ...times }];
  const made = await platform.create("", { inputs, ...more });
  const media = await platform.until(made.assetId, isReady);
  return { ...made, media: media as Media & { sourceMediaId?: string } };
}

/** What both manifests of a playback ID present. */
async function presented(playbackId: string) {
  const playlists = await readPlaylists(`${platform.baseUrl}/${playbackId}.m3u8`);
  const dash = await runsOfMpd(`${platform.baseUrl}/${playbackId}.mpd`);
  return await Promise.all(
    playlists.map(async ({ name, kind, url, durationsS }) => {
      const hls = await runsOfPlaylist(url);
      const urls = hls.flatMap(({ segmentUrls }) => segmentUrls);
      expect(dash.get(name)!.flatMap(({ segmentUrls }) => segmentUrls)).toEqual(urls);
      return { name, kind, hls, dash: dash.get(name)!, seconds: durationsS.reduce((sum, one) => sum + one, 0) };
    }),
  );
}

/** The numbers of consecutive frames, each at its time on the media's timeline. */
async function expectFrames(playbackId: string, first: number, end: number): Promise<void> {
  for (const { kind, name, hls, dash, seconds } of await presented(playbackId)) {
    if (kind !== "video") continue;
    // libav shifts a track with negative composition offsets, which those of the source are.
    const atMost = name === "clip-source-v" ? 3 * frameSeconds : 0.001;
    for (const runs of [hls, dash]) {
      const pictures = await picturesOf(runs);
      expect(pictures.map(readCounter)).toEqual(Array.from({ length: end - first }, (_, n) => first + n));
      expect(pictures.every(({ isDamaged }) => !isDamaged)).toBe(true);
      for (const [n, { timeSeconds }] of pictures.entries())
        expect(Math.abs(timeSeconds - (first + n) * frameSeconds)).toBeLessThan(atMost);
    }
    expect(seconds).toBeCloseTo((end - first) * frameSeconds, 2);
  }
}

/** Every tone between the frames is heard at its time, without a hole. */
async function expectTones(playbackId: string, first: number, end: number): Promise<void> {
  for (const { kind, hls, name } of await presented(playbackId)) {
    if (kind !== "audio") continue;
    const higherHz = name === "clip-a2" ? HIGHER_HZ : 0;
    const sound = await soundOf(hls);
    expect(sound.largestHoleSeconds).toBeLessThan(0.0001);
    expect(sound.startSeconds).toBeLessThan(first * frameSeconds + 0.012); // segments are cut at the nearest frame
    expect(sound.startSeconds).toBeGreaterThan(first * frameSeconds - 0.025);
    const endSeconds = sound.startSeconds + sound.samples.length / sound.sampleRateHz;
    expect(Math.abs(endSeconds - end * frameSeconds)).toBeLessThan(0.025);
    for (let at = Math.ceil(first * frameSeconds * 10) / 10 + 0.05; at < end * frameSeconds - 0.05; at += 0.25)
      if (at % 1 > 0.03 && at % 1 < 0.94)
        expect(Math.abs(toneAt(sound, at) - TONES[Math.floor(at)]!.hz - higherHz)).toBeLessThan(25);
  }
}

/** The numbers of the frames of the first rung. */
async function numbersOf(playbackId: string): Promise<(number | null)[]> {
  const rung = (await presented(playbackId)).find(({ kind }) => kind === "video")!;
  return (await picturesOf(rung.hls)).map(readCounter);
}

beforeAll(async () => {
  [platform, server] = await Promise.all([sharedPlatform(), startSourceServer()]);
});
afterAll(async () => {
  await server?.stop();
});

const TWO_SOUNDS = "-map 0:v -map 1:a -map 2:a -metadata:s:a:0 language=eng -metadata:s:a:1 language=fra";
/** Of the ladder, in frames. */
const SEGMENT = 120;
const LAST = Math.floor(SECONDS / frameSeconds);
const secondsOf = (frame: number) => frame * frameSeconds;

describe("a clip of an encoded media", () => {
  let film: { assetId: string; playbackId: string };
  beforeAll(async () => {
    film = await mediaOf(await filmOf(`${TWO_SOUNDS} -c:v mpeg4 -q:v 3 -g 15 -c:a libopus`, "mkv"));
  });

  test("has the frames and the sounds between its times, by HLS and by DASH", async () => {
    const { playbackId, media } = await clipOf(film.assetId, { startTime: 5.5, endTime: 15.25 });
    expect(media).toMatchObject({ sourceMediaId: film.assetId, duration: "00:00:10", status: "Ready" });
    expect(media.tracks.map(({ type, languageCode }) => [type, languageCode])).toEqual([
      ["video", undefined],
      ["audio", "en"],
      ["audio", "fr"],
    ]);
    await expectFrames(playbackId, 165, 458);
    await expectTones(playbackId, 165, 458);
    const playlists = await readPlaylists(`${platform.baseUrl}/${playbackId}.m3u8`);
    expect(playlists.map(({ name }) => name).sort()).toEqual(["clip-a1", "clip-a2", "clip-v270", "clip-v480"]);
    const { body } = await platform.api<Media[]>("GET", `/v1/on-demand/${film.assetId}/media-clips`);
    expect(body.data.map(({ id }) => id)).toContain(media.id);
  });

  test("has thumbnails, and a file for download, of its own frames", async () => {
    const { playbackId } = await clipOf(film.assetId, { startTime: 5.5, endTime: 15.25 }, { mp4Support: "capped_4k" });
    const base = `${platform.baseUrl}/${playbackId}`;
    for (const [time, frame] of [
      [0, 165],
      [0.48, 165 + 14],
      [4, 165 + 119],
      [9.7, 165 + 290],
    ] as const) {
      const shown = await readPicture(await getBytes(`${base}/thumbnail.jpg?time=${time}&width=320`), "jpg");
      expect({ time, frame: readCounter(shown) }).toEqual({ time, frame });
    }
    const pictures = await decodePictures(Buffer.from(await getBytes(`${base}/capped-4k.mp4`)));
    expect(pictures.map(readCounter)).toEqual(Array.from({ length: 458 - 165 }, (_, n) => 165 + n));
    expect(pictures[0]!.timeSeconds).toBeLessThan(0.03);
  });

  const expectRange = async (first: number, end: number) => {
    const { playbackId } = await clipOf(film.assetId, {
      startTime: secondsOf(first),
      ...(end === LAST ? {} : { endTime: secondsOf(end) }),
    });
    await expectFrames(playbackId, first, end);
    await expectTones(playbackId, first, end);
  };

  test.each([
    ["of two frames of two segments", 3 * SEGMENT - 1, 3 * SEGMENT + 1],
    ["of whole segments, without encoding", SEGMENT, 3 * SEGMENT],
  ])("%s", async (_, first, end) => {
    await expectRange(first, end);
  });

  test.each([
    ["within one segment", SEGMENT + 7, SEGMENT + 50],
    ["of one frame", 3 * SEGMENT - 1, 3 * SEGMENT],
    ["from the start", 0, SEGMENT + 1],
    ["to the end", 5 * SEGMENT + 33, LAST],
  ])("%s", { tags: ["full"] }, async (_, first, end) => {
    await expectRange(first, end);
  });

  test("has the captions between its times, moved to its start", async () => {
    const cues = [
      "00:04.000 --> 00:05.000\nbefore",
      "00:06.500 --> 00:08.000\nwithin",
      "00:15.000 --> 00:18.000\nacross",
    ];
    server.add("/film.vtt", { kind: "content", content: Buffer.from(`WEBVTT\n\n${cues.join("\n\n")}\n`) });
    const tracks = { type: "subtitle", url: server.url("/film.vtt"), languageCode: "it", languageName: "Italian" };
    await platform.api("POST", `/v1/on-demand/${film.assetId}/tracks`, { tracks });
    const isAvailable = ({ tracks: all }: Media) =>
      all.some(({ type, status }) => type === "subtitle" && status === "available");
    await platform.until(film.assetId, isAvailable);
    const { playbackId, media } = await clipOf(film.assetId, { startTime: 6, endTime: 16 });
    const track = media.tracks.find(({ type }) => type === "subtitle")!;
    const text = await (await fetch(`${platform.baseUrl}/${playbackId}/text/${track.id}.vtt`)).text();
    expect(text).toContain("00:00:00.500 --> 00:00:02.000\nwithin");
    expect(text).toContain("00:00:09.000 --> 00:00:10.000\nacross");
    expect(text).not.toContain("before");
    // The clock of HLS's segments is that of the media from which the clip was cut: its first frame is frame 180.
    const segment = await (await fetch(`${platform.baseUrl}/${playbackId}/text/${track.id}/0-0.vtt`)).text();
    expect(segment).toContain(`X-TIMESTAMP-MAP=MPEGTS:${Math.round(180 * frameSeconds * 90_000)}`);
  });

  test("of a clip is cut from the same media, and plays when both are gone", { tags: ["full"] }, async () => {
    const first = await clipOf(film.assetId, { startTime: 2, endTime: 20 });
    const second = await clipOf(first.assetId, { startTime: 3, endTime: 14 });
    expect(second.media.sourceMediaId).toBe(first.assetId);
    for (const { assetId } of [first, film]) await platform.api("DELETE", `/v1/on-demand/${assetId}`);
    const third = await clipOf(second.assetId, { startTime: 1, endTime: 9 });
    await expectFrames(second.playbackId, 60 + 90, 60 + 420);
    await expectFrames(third.playbackId, 150 + 30, 150 + 270);
    await expectTones(third.playbackId, 180, 420);
  });
});

describe("a clip of a media whose source is its top rung", () => {
  const GRID =
    "-c:v libx264 -preset veryfast -g 60 -keyint_min 60 -sc_threshold 0 -b:v 600k -c:a aac -movflags +faststart";

  test("has its frames in every rung, and begins anew where the source's own pictures begin and end", async () => {
    const film = await mediaOf(await filmOf(`-map 0:v -map 1:a ${GRID}`, "mp4"));
    const { playbackId } = await clipOf(film.assetId, { startTime: 5.5, endTime: 18.25 });
    const renditions = await presented(playbackId);
    const runs = new Map(renditions.map(({ name, hls, dash }) => [name, [hls.length, dash.length]]));
    expect(Object.fromEntries(runs)).toEqual({
      "clip-a1": [1, 3],
      "clip-source-v": [3, 3],
      "clip-v270": [1, 3],
    });
    await expectFrames(playbackId, 165, 547);
    await expectTones(playbackId, 165, 547);
    const shown = await readPicture(await getBytes(`${platform.baseUrl}/${playbackId}/thumbnail.jpg?time=6`), "jpg");
    expect(readCounter(shown)).toBe(165 + 179);
  });
});

describe("a clip of a media without a picture", () => {
  test("has the sound between its times, at once", async () => {
    const sound = ["-f", "lavfi", "-i", `aevalsrc='${tonesExpression(TONES)}':s=48000`, "-t", String(SECONDS)];
    server.add("/sound.mka", { kind: "content", content: await readFile(await madeFile(sound, "mka")) });
    const { assetId } = await mediaOf(server.url("/sound.mka"));
    const { playbackId, media } = await clipOf(assetId, { startTime: 5.5, endTime: 15.25 });
    expect(media).toMatchObject({ isAudioOnly: true, duration: "00:00:10" });
    await expectTones(playbackId, 5.5 / frameSeconds, 15.25 / frameSeconds);
  });
});

describe("a clip of a media of several videos", () => {
  test("has the frames of both at its join", { tags: ["full"] }, async () => {
    const url = await filmOf("-map 0:v -map 1:a -c:v mpeg4 -q:v 3 -g 15 -c:a libopus", "mkv");
    const part = (startTime: number, endTime: number) => ({ type: "video", url, startTime, endTime });
    const joined = await platform.create("", { inputs: [part(2, 8), part(14, 22)] });
    await platform.until(joined.assetId, isReady);
    const whole = await numbersOf(joined.playbackId);
    const { playbackId } = await clipOf(joined.assetId, { startTime: 3, endTime: 9 });
    expect(await numbersOf(playbackId)).toEqual(whole.slice(90, 270));
  });
});

describe("a clip of a recording", () => {
  const RATE = 15;
  let recording: Media;
  beforeAll(async () => {
    const words = "-t 12 -c:v libx264 -preset ultrafast -g 15 -bf 0 -pix_fmt yuv420p -c:a aac -f mpegts";
    const sound = ["-f", "lavfi", "-i", `aevalsrc='${tonesExpression(TONES)}':s=48000`];
    const bytes = await madeStream([...countedFilm(String(RATE), "640x360"), ...sound, ...words.split(" ")]);
    const stream = await newLiveStream(platform);
    const sent = await fetch(stream.ingest.http, { method: "PUT", body: new Uint8Array(bytes) });
    if (!sent.ok) throw new Error(`the broadcast was answered ${sent.status}`);
    await platform.api("PUT", `/v1/live/streams/${stream.streamId}/finish`);
    recording = await eventually("the recording", async () => {
      const { body } = await platform.api<LiveStreamRecord>("GET", `/v1/live/streams/${stream.streamId}`);
      const [id] = body.data.mediaIds ?? [];
      const media = await platform.api("GET", `/v1/on-demand/${id}`);
      return media.body.data?.status === "Ready" ? media.body.data : null;
    });
  });

  test("has its frames in every rung, and its sound at their times, although there is no source", async () => {
    const whole = await presented(recording.playbackIds[0]!.id);
    const { playbackId } = await clipOf(recording.id, { startTime: 3.4, endTime: 8.2 });
    const clip = await presented(playbackId);
    expect(clip.map(({ name }) => name).toSorted()).toEqual(whole.map(({ name }) => `clip-${name}`).toSorted());
    const [first, end] = [Math.ceil(3.4 * RATE), Math.ceil(8.2 * RATE)];
    for (const { name, kind, hls, dash } of whole) {
      const cut = clip.find((one) => one.name === `clip-${name}`)!;
      if (kind === "audio") {
        const [all, part] = [await soundOf(hls), await soundOf(cut.hls)];
        expect(part.largestHoleSeconds).toBeLessThan(0.0001);
        const at = part.startSeconds;
        const heard = [0.1, 1, 2, 3, 4, 4.6].map((seconds) => [toneAt(part, at + seconds), toneAt(all, at + seconds)]);
        for (const [own, of] of heard) expect(Math.abs(own! - of!)).toBeLessThan(5);
        continue;
      }
      const pictures = await picturesOf(hls);
      expect((await picturesOf(dash)).length).toBe(pictures.length);
      for (const runs of [cut.hls, cut.dash]) {
        const own = await picturesOf(runs);
        expect(own.map(readCounter)).toEqual(pictures.slice(first, end).map(readCounter));
        for (const [n, { timeSeconds }] of own.entries())
          expect(Math.abs(timeSeconds - pictures[first + n]!.timeSeconds)).toBeLessThan(0.001);
      }
    }
  });

  test("of such a clip is cut from the recording, too", async () => {
    const outer = await clipOf(recording.id, { startTime: 3.4, endTime: 10 });
    const inner = await clipOf(outer.assetId, { startTime: 1, endTime: 3 });
    const whole = await numbersOf(recording.playbackIds[0]!.id);
    expect(await numbersOf(inner.playbackId)).toEqual(whole.slice(66, 96));
  });
});
