/** Subtitles and sound of a recording whose broadcaster reconnected: each player has them at their times, on both sides of the discontinuity. */
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  eventually,
  newLiveStream,
  recordingOf,
  type SeenSegment,
  segmentsOf,
  smallestPlaylist,
} from "../../../support/live-watch.ts";
import { madeFile } from "../../../support/made.ts";
import { sharedPlatform, type SharedPlatform } from "../../../support/platform.ts";
import { decodePictures, decodeSound } from "../../../support/rendition.ts";
import { bufferContent } from "../../../support/source-content.ts";
import { type SourceServer, startSourceServer } from "../../../support/source-server.ts";
import { toneAt, tonesExpression } from "../../../support/tones.ts";
import { testBrowser } from "../../players/chromium.ts";
import { openTracksPage } from "../../players/open-tracks-page.ts";
import { servePlayerPage } from "../../players/page-server.ts";
import type { TrackPlayer } from "../../players/tracks-page.ts";

const run = promisify(execFile);
const PUSH_SECONDS = 6;
/** Each push has another size: with the same one, the encoder continues without a discontinuity. */
const pushOf = (size: string) =>
  [
    `-v error -re -f lavfi -i testsrc2=size=${size}:rate=15 -f lavfi -i sine=frequency=440:sample_rate=48000`,
    `-t ${PUSH_SECONDS} -c:v libx264 -preset ultrafast -g 15 -bf 0 -pix_fmt yuv420p -c:a aac -b:a 64k -f mpegts -method PUT`,
  ].flatMap((words) => words.split(" "));

let platform: SharedPlatform;
let browser: Browser;
let page: Awaited<ReturnType<typeof servePlayerPage>>;
let files: SourceServer;
let address: string;
/** In the recording, in seconds; 0 = it has no discontinuity. */
let reconnectedAt: number;
/** The media playlists of the recording before anything was added, by address. */
let played: Map<string, string>;

const textOf = async (url: string) => await (await fetch(url)).text();
const captionOf = (second: number) => `#${second}.`;
/** Frequency of the added sound in each second: whole periods, so the tones join. The broadcast has 440 Hz. */
const hzOf = (second: number) => 600 + 200 * second;
/** More than the recording has, so it is cut to its length. */
const TONES_SECONDS = 20;
const tones = Array.from({ length: TONES_SECONDS }, (_, second) => ({ fromSeconds: second, hz: hzOf(second) }));

async function playlistsOf(playbackId: string): Promise<Map<string, string>> {
  const multivariant = `${platform.baseUrl}/${playbackId}.m3u8`;
  const text = await textOf(multivariant);
  const uris = [...text.matchAll(/URI="([^"]+\.m3u8)"|^([^#\n]+\.m3u8)$/gm)].map(
    ([, group, variant]) => group ?? variant!,
  );
  const urls = uris.map((uri) => new URL(uri, multivariant).href);
  return new Map(await Promise.all(urls.map(async (url) => [url, await textOf(url)] as const)));
}

/** A caption for each second. */
function captions(): string {
  const cues = Array.from({ length: 20 }, (_, second) => {
    const [from, to] = [second, second + 1].map((at) => `00:${String(at).padStart(2, "0")}.000`);
    return `${from} --> ${to}\n${captionOf(second)}\n`;
  });
  return ["WEBVTT\n", ...cues].join("\n");
}

beforeAll(async () => {
  [platform, browser, page, files] = await Promise.all([
    sharedPlatform({ withIngest: true }),
    testBrowser(),
    servePlayerPage("tracks-page.ts"),
    startSourceServer(),
  ]);
  const stream = await newLiveStream(platform);
  // The second one is refused while the end of the first is being handled.
  for (const size of ["320x180", "240x180"])
    await eventually(`a push of ${size}`, async () => await run("ffmpeg", [...pushOf(size), stream.ingest.http]));
  await platform.api("PUT", `/v1/live/streams/${stream.streamId}/finish`);
  const media = await recordingOf(platform, stream);
  address = `${platform.baseUrl}/${media.playbackIds[0]!.id}`;
  files.add("/seconds.vtt", { kind: "content", content: bufferContent(Buffer.from(captions())) });
  const words = ["-f", "lavfi", "-i", `aevalsrc='${tonesExpression(tones)}':s=44100:d=${TONES_SECONDS}`];
  const path = await madeFile([...words, "-c:a", "flac"], "flac");
  files.add("/tones.flac", { kind: "content", content: bufferContent(await readFile(path)) });
  played = await playlistsOf(media.playbackIds[0]!.id);
  for (const tracks of [
    { url: files.url("/seconds.vtt"), type: "subtitle", languageCode: "en", languageName: "English" },
    { url: files.url("/tones.flac"), type: "audio", languageCode: "de", languageName: "German" },
  ]) {
    const { status, body } = await platform.api("POST", `/v1/on-demand/${media.id}/tracks`, { tracks });
    if (status !== 201) throw new Error(`adding a track answered ${status}: ${JSON.stringify(body)}`);
  }
  await eventually("both tracks", async () => {
    const multivariant = await textOf(`${address}.m3u8`);
    return /NAME="English"/.test(multivariant) && /NAME="German"/.test(multivariant) ? multivariant : null;
  });
  const lines = (await textOf((await smallestPlaylist(`${address}.m3u8`))!)).split("\n");
  const before = lines.slice(0, Math.max(0, lines.lastIndexOf("#EXT-X-DISCONTINUITY")));
  reconnectedAt = before.reduce((sum, line) => sum + Number(/^#EXTINF:([\d.]+)/.exec(line)?.[1] ?? 0), 0);
});
afterAll(async () => {
  await Promise.all([page?.close(), files?.stop()]);
});

test.each<[TrackPlayer, "m3u8" | "mpd"]>([
  ["hls.js", "m3u8"],
  ["dash.js", "mpd"],
  ["shaka", "m3u8"],
  ["shaka", "mpd"],
])(
  "%s shows subtitles of the recording's .%s at their times, and plays the added sound at its own, also after a reconnect",
  async (player, extension) => {
    expect(reconnectedAt).toBeGreaterThan(PUSH_SECONDS / 2);
    const tab = await browser.newPage();
    try {
      const call = await openTracksPage(tab, page.url);
      await call("load", player, `${address}.${extension}`);
      const [language = ""] = (await call("languages")).subtitles;
      expect(language).toBe("en");
      for (const second of [1, Math.ceil(reconnectedAt) + 1]) {
        if (second > 1) await call("goTo", second - 0.5);
        const shownAt = await call("show", language, captionOf(second));
        expect([second, shownAt]).toEqual([
          second,
          expect.toSatisfy((at: number) => at > second - 0.1 && at < second + 1.1, `within second ${second}`),
        ]);
      }
      const [from, to] = [reconnectedAt - 1.5, reconnectedAt + 2.5];
      const heard = await call("listen", "de", from, to);
      expect(await call("errors")).toEqual([]);
      // What is heard comes a little later than the position says: the middle of a second has its own tone.
      const isInTune = ([at, hz]: [number, number]) => at % 1 > 0.4 && Math.abs(hz - hzOf(Math.floor(at))) < 30;
      for (const isOnSide of [(at: number) => at < reconnectedAt, (at: number) => at > reconnectedAt + 1])
        expect(heard.filter(([at]) => isOnSide(at))).toEqual(
          expect.toSatisfy((all: typeof heard) => all.some(isInTune), "the tone of its time"),
        );
    } finally {
      await tab.close();
    }
  },
);

const bytesOf = async (url: string) => Buffer.from(await (await fetch(url)).arrayBuffer());
/** The media of a rendition behind each discontinuity, with its place in the recording. */
async function spansOf(playlist: string): Promise<{ bytes: Buffer; startSeconds: number; endSeconds: number }[]> {
  const groups = Map.groupBy((await segmentsOf(playlist))!, ({ discontinuities }) => discontinuities);
  let startSeconds = 0;
  const spans = [...groups.values()].map((segments: SeenSegment[]) => {
    const from = startSeconds;
    startSeconds += segments.reduce((sum, { durationSeconds }) => sum + durationSeconds, 0);
    return {
      urls: [segments[0]!.initUrl, ...segments.map(({ url }) => url)],
      startSeconds: from,
      endSeconds: startSeconds,
    };
  });
  return await Promise.all(
    spans.map(async ({ urls, ...span }) => ({ ...span, bytes: Buffer.concat(await Promise.all(urls.map(bytesOf))) })),
  );
}

test("the added sound is within 25 ms of the picture in both spans, and as long as the recording", async () => {
  const multivariant = await textOf(`${address}.m3u8`);
  const [, uri = ""] = /NAME="German",LANGUAGE="de",.*URI="([^"]+)"/.exec(multivariant)!;
  const [pictures, sounds] = await Promise.all([
    spansOf((await smallestPlaylist(`${address}.m3u8`))!),
    spansOf(new URL(uri, `${address}.m3u8`).href),
  ]);
  expect([pictures.length, sounds.length]).toEqual([2, 2]);
  expect(Math.abs(pictures[1]!.endSeconds - sounds[1]!.endSeconds)).toBeLessThan(0.025);
  for (const [n, picture] of pictures.entries()) {
    const [first] = await decodePictures(picture.bytes);
    const sound = await decodeSound(sounds[n]!.bytes);
    expect(sound.largestHoleSeconds).toBeLessThan(0.001);
    const wholeSeconds = Array.from({ length: TONES_SECONDS }, (_, second) => second).filter(
      (second) => second > picture.startSeconds + 0.2 && second < picture.endSeconds - 0.2,
    );
    expect(wholeSeconds.length).toBeGreaterThan(2);
    for (const second of wholeSeconds) {
      const then = first!.timeSeconds + second - picture.startSeconds;
      const [before, behind] = [toneAt(sound, then - 0.055), toneAt(sound, then + 0.025)];
      expect([second, Math.abs(before - hzOf(second - 1)) < 60, Math.abs(behind - hzOf(second)) < 60]).toEqual([
        second,
        true,
        true,
      ]);
    }
  }
});

test("the playlists of the recording are those of before", async () => {
  expect(played.size).toBeGreaterThan(1);
  for (const [url, text] of played) expect(await textOf(url)).toBe(text);
});
