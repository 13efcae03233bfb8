/** Clips of media, made by the whole platform: every frame has its number in it, and every second its tone. */
import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { countedFilm, readCounter } from "../support/frame-counter.ts";
import { madeFile } from "../support/made.ts";
import { isReady, type Media, sharedPlatform, type SharedPlatform } from "../support/platform.ts";
import { readPlaylists } from "../support/playlists.ts";
import { picturesOf, runsOfMpd, runsOfPlaylist, soundOf } from "../support/presented.ts";
import { type SourceServer, startSourceServer } from "../support/source-server.ts";
import { toneAt, tonesExpression } from "../support/tones.ts";

const SECONDS = 24;
/** Of 30000/1001. */
const frameSeconds = 1001 / 30000;
const TONES = Array.from({ length: SECONDS }, (_, n) => ({ fromSeconds: n, hz: 400 + 200 * (n % 12) }));

let platform: SharedPlatform;
let server: SourceServer;

/** A film whose picture counts its frames. @param words of the encoder */
async function filmOf(words: string, extension: string): Promise<string> {
  const sound = ["-f", "lavfi", "-i", `aevalsrc='${tonesExpression(TONES)}':s=48000`];
  const film = [...countedFilm("30000/1001", "640x360"), ...sound, "-t", String(SECONDS), ...words.split(" ")];
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
  for (const { kind, hls, dash, seconds } of await presented(playbackId)) {
    if (kind !== "video") continue;
    for (const runs of [hls, dash]) {
      const pictures = await picturesOf(runs);
      expect(pictures.map(readCounter)).toEqual(Array.from({ length: end - first }, (_, n) => first + n));
      expect(pictures.every(({ isDamaged }) => !isDamaged)).toBe(true);
      for (const [n, { timeSeconds }] of pictures.entries())
        expect(Math.abs(timeSeconds - (first + n) * frameSeconds)).toBeLessThan(0.001);
    }
    expect(seconds).toBeCloseTo((end - first) * frameSeconds, 2);
  }
}

/** Every tone between the frames is heard at its time, without a hole. */
async function expectTones(playbackId: string, first: number, end: number): Promise<void> {
  for (const { kind, hls } of await presented(playbackId)) {
    if (kind !== "audio") continue;
    const sound = await soundOf(hls);
    expect(sound.largestHoleSeconds).toBeLessThan(0.0001);
    expect(sound.startSeconds).toBeLessThanOrEqual(first * frameSeconds + 0.001);
    expect(sound.startSeconds).toBeGreaterThan(first * frameSeconds - 0.025);
    const endSeconds = sound.startSeconds + sound.samples.length / sound.sampleRateHz;
    expect(Math.abs(endSeconds - end * frameSeconds)).toBeLessThan(0.025);
    for (let at = Math.ceil(first * frameSeconds * 10) / 10 + 0.05; at < end * frameSeconds - 0.05; at += 0.25)
      if (at % 1 > 0.03 && at % 1 < 0.94)
        expect(Math.abs(toneAt(sound, at) - TONES[Math.floor(at)]!.hz)).toBeLessThan(25);
  }
}

beforeAll(async () => {
  [platform, server] = await Promise.all([sharedPlatform(), startSourceServer()]);
});
afterAll(async () => {
  await server?.stop();
});

describe("a clip of an encoded media", () => {
  let film: { assetId: string; playbackId: string };
  beforeAll(async () => {
    film = await mediaOf(await filmOf("-c:v mpeg4 -q:v 3 -g 15 -c:a libopus", "mkv"));
  });

  test("has the frames and the sound between its times, by HLS and by DASH", async () => {
    const { playbackId, media } = await clipOf(film.assetId, { startTime: 5.5, endTime: 15.25 });
    expect(media).toMatchObject({ sourceMediaId: film.assetId, duration: "00:00:10", status: "Ready" });
    await expectFrames(playbackId, 165, 458);
    await expectTones(playbackId, 165, 458);
  });
});
