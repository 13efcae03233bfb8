/** The captions in a broadcast's picture, sent over SRT: at the time of their picture, as soon as the picture, and shown by players. */
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { CODE_BITS, CODE_PLACE, decodeClock } from "../../../../scripts/live/clock-code.ts";
import { parseWebVtt } from "../../../../src/media/captions/webvtt.ts";
import { joinCues } from "../../../../src/media/live/captions.ts";
import { type Broadcaster, startBroadcaster } from "../../../support/clock-broadcaster.ts";
import {
  eventually,
  type LiveStreamRecord,
  manifestOf,
  newLiveStream,
  recordingOf,
  segmentsOf,
  smallestPlaylist,
} from "../../../support/live-watch.ts";
import { sharedPlatform, type SharedPlatform } from "../../../support/platform.ts";
import { type DecodedPicture, decodePictures } from "../../../support/rendition.ts";
import { testBrowser } from "../../players/chromium.ts";
import type { LivePlayerName, LiveSample } from "../../players/live-page.ts";
import { servePlayerPage } from "../../players/page-server.ts";
import { inPage } from "./watch-live.ts";

const SOURCE = { widthPx: 480, heightPx: 270, frameRate: 15, bitrateBps: 600_000 };
const FRAME_MS = 1000 / SOURCE.frameRate;
const DAY_MS = 24 * 3600_000;
/** How much later than its picture a caption may be there. */
const MOST_BEHIND_MS = 2000;
/** The broadcast has a caption at any time. Players that wait for each segment's captions show none on up to half of the pictures. */
const MOST_BLANK_SHARE = 0.2;
const SEGMENTS = 4;
const CAPTIONS = 6;

let platform: SharedPlatform;
let browser: Browser;
let page: Awaited<ReturnType<typeof servePlayerPage>>;
let broadcaster: Broadcaster;
let stream: LiveStreamRecord;
let manifest: string;
let playlists: { picture: string; captions: string };

/** A caption has the time of day of its picture, as "12:34:56.789". */
const timeIn = (text: string): number => Date.parse(`1970-01-01T${text}Z`);
const sinceMs = (capturedAtMs: number, text: string): number => (capturedAtMs % DAY_MS) - timeIn(text);

async function fetchText(url: string): Promise<string> {
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(`${url}: ${answer.status}`);
  return await answer.text();
}

beforeAll(async () => {
  [platform, browser, page] = await Promise.all([
    sharedPlatform({ withIngest: true }),
    testBrowser(),
    servePlayerPage("live-page.ts"),
  ]);
  stream = await newLiveStream(platform);
  broadcaster = await startBroadcaster(stream.ingest.srt, { ...SOURCE, format: "mpegts", hasCaptions: true });
  manifest = `${manifestOf(platform, stream)}?dvrMode=true`;
  playlists = await eventually("captions in the multivariant playlist", async () => {
    const text = await fetchText(manifest);
    const [, captions] = /TYPE=SUBTITLES,.*NAME="CC1",.*URI="([^"]+)"/.exec(text) ?? [];
    const picture = text.split("\n").findLast((line) => line !== "" && !line.startsWith("#"));
    if (captions === undefined || picture === undefined) return null;
    return { picture: new URL(picture, manifest).href, captions: new URL(captions, manifest).href };
  });
  await eventually("segments", async () => ((await segmentsOf(playlists.captions))?.length ?? 0) > SEGMENTS || null);
}, 120_000);

afterAll(async () => {
  await broadcaster?.stop();
  await page?.close();
});

/** Reads the clock that is burnt into a picture. */
function clockIn({ luma, widthPx, heightPx }: DecodedPicture): number | null {
  const { left, right, top, bottom } = CODE_PLACE;
  const row = Math.round(((top + bottom) / 2) * heightPx) * widthPx;
  const blockPx = ((right - left) * widthPx) / CODE_BITS;
  const bits = Array.from({ length: CODE_BITS }, (_, bit) =>
    luma[row + Math.round(left * widthPx + (bit + 0.5) * blockPx)]! > 128 ? 1 : 0,
  );
  return decodeClock(bits, Date.now());
}

test("a cue begins with the picture that carries it, and its segments are those of the picture", async () => {
  const [picture, captions] = await Promise.all([segmentsOf(playlists.picture), segmentsOf(playlists.captions)]);
  const compared = picture!.slice(0, SEGMENTS);
  const of = ({ durationSeconds, isGap, discontinuities }: (typeof compared)[number]) =>
    JSON.stringify({ durationSeconds, isGap, discontinuities });
  expect(captions!.slice(0, SEGMENTS).map(of)).toEqual(compared.map(of));
  const behindMs: number[] = [];
  for (const [n, { url, initUrl }] of compared.entries()) {
    const bytes = await Promise.all(
      [initUrl, url].map(async (one) => Buffer.from(await (await fetch(one)).arrayBuffer())),
    );
    const pictures = await decodePictures(Buffer.concat(bytes));
    const { cues } = parseWebVtt(await fetchText(captions![n]!.url)); // cut at the parts of the segment
    for (const { startMs, text } of joinCues([], cues)) {
      // The first cue of a segment may go on from the segment before.
      const shown = pictures.find(({ timeSeconds }) => Math.abs(timeSeconds * 1000 - startMs) < FRAME_MS / 2);
      const clock = shown === undefined ? null : clockIn(shown);
      expect([startMs, clock]).toEqual([startMs, expect.any(Number)]);
      if (startMs > pictures[0]!.timeSeconds * 1000 + 1) behindMs.push(sinceMs(clock!, text));
    }
  }
  expect(behindMs.length).toBeGreaterThanOrEqual(SEGMENTS);
  expect(behindMs.every((ms) => ms === 0)).toBe(true);
});

test("a segment of captions is listed when the picture's is", async () => {
  const reload = async (url: string, msn: number) => {
    const text = await fetchText(`${url}&_HLS_msn=${msn}`);
    return { atMs: performance.now(), text };
  };
  const first = await fetchText(playlists.picture);
  const edge = Number(/#EXT-X-MEDIA-SEQUENCE:(\d+)/.exec(first)![1]) + (first.match(/#EXTINF/g)?.length ?? 0);
  const behindMs: number[] = [];
  for (let msn = edge; msn < edge + 3; msn += 1) {
    const [picture, captions] = await Promise.all([reload(playlists.picture, msn), reload(playlists.captions, msn)]);
    expect(captions.text.match(/#EXTINF/g)).toEqual(picture.text.match(/#EXTINF/g));
    behindMs.push(captions.atMs - picture.atMs);
  }
  console.log("captions behind the picture, ms:", behindMs.map(Math.round).join(" "));
  expect(Math.max(...behindMs)).toBeLessThan(MOST_BEHIND_MS);
});

/** Plays the broadcast with captions until enough of them have been shown. */
async function watch(player: LivePlayerName, extension: "m3u8" | "mpd") {
  const tab = await browser.newPage();
  try {
    await tab.goto(page.url);
    await tab.waitForFunction(() => "live" in window);
    const address = manifest.replace("m3u8", extension);
    await inPage(tab, (live, [name, url]: never[]) => live.play(name!, url!, {}, 1), [player, address]);
    const names = await eventually("a choice of captions", async () => {
      const listed = await inPage(tab, (live) => live.captions());
      return listed.length > 0 ? listed : null;
    });
    await inPage(tab, (live) => live.showCaptions());
    const samples: LiveSample[] = [];
    await eventually(`${CAPTIONS} captions`, async () => {
      samples.push(...(await inPage(tab, (live) => live.samples())));
      return new Set(samples.map(({ captions }) => captions)).size > CAPTIONS + 1 || null;
    });
    const begun = samples.slice(samples.findIndex(({ captions }) => captions !== ""));
    const blankShare = begun.filter(({ captions }) => captions === "").length / begun.length;
    const read = samples.filter((one) => one.captions !== "" && one.capturedAtMs !== null);
    const firsts = read.filter((one, n) => n > 0 && read[n - 1]!.captions !== one.captions);
    const behindMs = firsts.map(({ capturedAtMs, captions }) => sinceMs(capturedAtMs!, captions));
    const latencyMs = read.at(-1)!.shownAtMs - read.at(-1)!.capturedAtMs!;
    console.log(
      `${player}, ${extension}: captions behind their picture, ms: ${behindMs.map(Math.round).join(" ")};`,
      `none on ${Math.round(100 * blankShare)} % of the pictures; ${Math.round(latencyMs)} ms behind the capture`,
    );
    return { names, behindMs, blankShare, errors: (await inPage(tab, (live) => live.log())).errors };
  } finally {
    await tab.close();
  }
}

const PLAYERS: [LivePlayerName, "m3u8" | "mpd"][] = [
  ["hls.js", "m3u8"],
  ["shaka", "m3u8"],
  ["dash.js", "mpd"],
  ["shaka", "mpd"],
];

test("players show the captions of HLS and DASH with the picture that carries them", async () => {
  const watched = await Promise.all(PLAYERS.map((player) => watch(...player)));
  for (const [n, { names, behindMs, blankShare, errors }] of watched.entries()) {
    const player = PLAYERS[n]!.join();
    expect([player, names]).toEqual([player, ["CC1"]]);
    // A player may render them a picture early.
    const isLate = (ms: number) => ms < -3 * FRAME_MS || ms >= MOST_BEHIND_MS;
    expect([player, behindMs.filter(isLate)]).toEqual([player, []]);
    expect([player, blankShare]).toEqual([player, expect.toSatisfy((share: number) => share <= MOST_BLANK_SHARE)]);
    // Players also report requests that the choice of a track ends, and that they wait on a busy machine.
    const fatal = errors.filter((error) => /^page|^video|fatal|"severity":2/.test(error));
    expect([player, fatal]).toEqual([player, []]);
  }
});

test("the recording has the captions as a track, each with the picture that carried it", async () => {
  await platform.api("PUT", `/v1/live/streams/${stream.streamId}/finish`);
  const { playbackIds, tracks } = await recordingOf(platform, stream);
  const listed = tracks as unknown as { id: string; type: string; languageName: string }[];
  const track = listed.find(({ type }) => type === "subtitle");
  expect(track?.languageName).toBe("CC1");
  const address = `${platform.baseUrl}/${playbackIds[0]!.id}`;
  const { cues } = parseWebVtt(await fetchText(`${address}/text/${track!.id}.vtt`));
  const segments = (await segmentsOf((await smallestPlaylist(`${address}.m3u8`))!))!;
  const behindMs: number[] = [];
  let startMs = 0;
  for (const { url, initUrl, durationSeconds } of segments.slice(0, SEGMENTS)) {
    const bytes = await Promise.all(
      [initUrl, url].map(async (one) => Buffer.from(await (await fetch(one)).arrayBuffer())),
    );
    const pictures = await decodePictures(Buffer.concat(bytes));
    const shownMs = pictures.map(({ timeSeconds }) => startMs + 1000 * (timeSeconds - pictures[0]!.timeSeconds));
    const endMs = startMs + 1000 * durationSeconds;
    for (const cue of cues.filter((one) => one.startMs >= startMs && one.startMs < endMs - 1)) {
      const at = shownMs.findIndex((ms) => Math.abs(ms - cue.startMs) < FRAME_MS / 2);
      behindMs.push(sinceMs(clockIn(pictures[at]!)!, cue.text));
    }
    startMs = endMs;
  }
  expect(behindMs.length).toBeGreaterThanOrEqual(SEGMENTS);
  expect(behindMs.filter((ms) => ms !== 0)).toEqual([]);
});

test("the hosted page offers captions that begin after it was opened; to choose them keeps it at the live position", async () => {
  const later = await newLiveStream(platform);
  const tab = await browser.newPage();
  const shown = () =>
    tab.evaluate(() => {
      const { textTracks, paused, currentTime } = document.querySelector("video")!;
      const tracks = [...textTracks].filter(({ kind }) => kind === "captions");
      const cues = tracks.flatMap(({ mode, activeCues }) => (mode === "showing" ? [...(activeCues ?? [])] : []));
      const texts = cues.map((cue) => (cue as VTTCue).text);
      return { labels: tracks.map(({ label }) => label), texts, isPlaying: !paused && currentTime > 0 };
    });
  const playing = { ...SOURCE, format: "mpegts", hasCaptions: true, captionsAfterSeconds: 5 } as const;
  await tab.goto(manifestOf(platform, later).replace(/\/([^/]+)\.m3u8$/, "/player/$1"));
  const late = await startBroadcaster(later.ingest.srt, playing);
  try {
    await eventually("playback without captions", async () => {
      const { labels, isPlaying } = await shown();
      return (isPlaying && labels.length === 0) || null;
    });
    await eventually("captions in the menu", async () => (await shown()).labels.length > 0 || null);
    const item = tab.locator("media-captions-menu [role=menuitemradio]").filter({ hasText: "CC1" });
    await item.evaluate((one: HTMLElement) => one.click());
    const text = await eventually("a caption", async () => (await shown()).texts[0] ?? null);
    expect(sinceMs(Date.now(), text)).toBeLessThan(10_000);
    // The first caption is there with the first picture, and playback goes on once enough is buffered.
    const texts = new Set<string>();
    await eventually("more captions, while it plays", async () => {
      const now = await shown();
      if (now.isPlaying) for (const one of now.texts) texts.add(one);
      return texts.size > 3 || null;
    });
    expect((await shown()).labels).toEqual(["CC1"]);
  } finally {
    await late.stop();
    await tab.close();
  }
});
