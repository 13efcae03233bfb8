/** Real players in a real browser on a real broadcast. Each plays for LIVE_PLAY_SECONDS (15) at the live edge. */
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Broadcaster, startBroadcaster } from "../../../support/clock-broadcaster.ts";
import {
  dvrOf,
  eventually,
  type LiveStreamRecord,
  newLiveStream,
  segmentsOf,
  smallestPlaylist,
  streamOf,
} from "../../../support/live-watch.ts";
import { getBytes } from "../../../support/playlists.ts";
import { sharedPlatform, type SharedPlatform } from "../../../support/platform.ts";
import { commandOf, descendantsOf } from "../../../support/processes.ts";
import { CODE_BITS, CODE_PLACE, decodeClock } from "../../../../scripts/live/clock-code.ts";
import { type ReadPicture, readPicture } from "../../../support/pictures.ts";
import { axeFindings } from "../../pages/axe.ts";
import { contrastOf, whiten } from "../../pages/contrast.ts";
import { testBrowser } from "../../players/chromium.ts";
import { servePlayerPage } from "../../players/page-server.ts";
import { testLiveViews } from "./live-views.ts";
import { testLostConnection } from "./lost-connection.ts";
import { type Watched, watchLive } from "./watch-live.ts";

const SECONDS = Number(process.env["LIVE_PLAY_SECONDS"] ?? 15);
const BACK_SECONDS = 10;
const SOURCE = { widthPx: 480, heightPx: 270, frameRate: 15, bitrateBps: 600_000 };
const FRAME_MS = 1000 / SOURCE.frameRate;
/** Maximum latency of the last picture shown at the live edge. */
const MOST_LATENCY_MS = 5000;
const PLAYERS = ["hls.js", "shaka", "dash.js"] as const;
const PAUSE_MS = 6000;
/** The end of the seekable range has none. The live position has about three parts. */
const LEAST_HEADROOM_SECONDS = 0.3;
/** Interruptions: the encoder is killed, later the broadcaster is disconnected for some time. */
const [KILL_AFTER_MS, CUT_AFTER_MS, AWAY_MS, INTERRUPTED_SECONDS] = [5000, 12_000, 3000, 24];

let platform: SharedPlatform;
let browser: Browser;
let page: Awaited<ReturnType<typeof servePlayerPage>>;
let broadcaster: Broadcaster;
let stream: LiveStreamRecord;
let watched: Watched[];
let interrupted: Watched[];
let killedAtMs: number;
let cutAtMs: number;

const after = (ms: number) => new Promise((done) => setTimeout(done, ms));

function watchAll(seconds: number): Promise<Watched[]> {
  const hls = dvrOf(platform, stream);
  const dash = hls.replace(".m3u8", ".mpd");
  return Promise.all(
    PLAYERS.map((player) =>
      watchLive(browser, page.url, player, player === "dash.js" ? dash : hls, { seconds, backSeconds: BACK_SECONDS }),
    ),
  );
}

/** Kills the encoder process of the broadcast, not the one that waits for the next broadcast. */
function killEncoder(): void {
  const pids = descendantsOf(platform.pids.ingest()!).filter((pid) => commandOf(pid).includes("live/child.ts"));
  process.kill(Math.min(...pids), "SIGKILL");
}

beforeAll(
  async () => {
    [platform, browser, page] = await Promise.all([
      sharedPlatform({ withIngest: true }),
      testBrowser(),
      servePlayerPage("live-page.ts"),
    ]);
    stream = await newLiveStream(platform);
    broadcaster = await startBroadcaster(stream.ingest.rtmp, SOURCE);
    const playlist = await eventually("a playlist", () => smallestPlaylist(dvrOf(platform, stream)));
    await eventually("five segments", async () => ((await segmentsOf(playlist))?.length ?? 0) >= 5 || null);
    watched = await watchAll(SECONDS);
    const watching = watchAll(INTERRUPTED_SECONDS);
    await after(KILL_AFTER_MS);
    killedAtMs = Date.now();
    killEncoder();
    await after(CUT_AFTER_MS - KILL_AFTER_MS);
    cutAtMs = Date.now();
    await broadcaster.kill();
    await after(AWAY_MS);
    broadcaster = await eventually("the broadcaster is back", () => startBroadcaster(stream.ingest.rtmp, SOURCE));
    interrupted = await watching;
  },
  (SECONDS + INTERRUPTED_SECONDS + 180) * 1000,
);

afterAll(async () => {
  await broadcaster?.stop();
  await page?.close();
});

test.each(PLAYERS)(
  "%s plays at the live edge, seeks back in the DVR window and returns, without an error",
  (player) => {
    const seen = watched.find((one) => one.player === player)!;
    expect(seen.errors).toEqual([]);
    expect(seen.badAnswers).toEqual([]);
    expect(seen.latenciesMs.length).toBeGreaterThan(SECONDS * 5); // every second picture of fifteen per second is read
    expect(Math.min(...seen.backMs)).toBeGreaterThan((BACK_SECONDS - 4) * 1000);
    expect(seen.againMs.length).toBeGreaterThan(0);
  },
);

/** hls.js retries a low-latency playlist after 1.6 s. A busy machine can exceed that. */
const isRetried = (error: string) => /^hls\.js: networkError \w+TimeOut/.test(error);

test.each(PLAYERS)(
  "%s stalls at most once when the encoder is killed, and is at the edge again when the broadcaster was cut off",
  (player) => {
    const seen = interrupted.find((one) => one.player === player)!;
    // hls.js reports a longer stall as an error too. After the kill they are counted below, and there is nothing to play while the broadcaster is away.
    const reported = new Set(seen.reportedStalls.filter(({ atMs }) => atMs >= killedAtMs).map(({ error }) => error));
    expect(seen.errors.filter((error) => !isRetried(error) && !reported.has(error))).toEqual([]);
    expect(seen.badAnswers).toEqual([]);
    const stalls = seen.stalls.filter(({ atMs }) => atMs >= killedAtMs && atMs < cutAtMs);
    expect(stalls.slice(1)).toEqual([]);
    expect(seen.latenciesMs.at(-1)).toBeLessThan(MOST_LATENCY_MS);
  },
);

test("the hosted page shows that it is live, readable on a white picture, with the settings of a broadcast, and axe finds nothing", async () => {
  const hosted = await browser.newPage({ viewport: { width: 640, height: 360 } });
  await hosted.goto(`${platform.baseUrl}/player/${stream.playbackIds[0]!.id}`);
  await hosted.waitForFunction(() => (document.querySelector("video")?.currentTime ?? 0) > 0, null, {
    timeout: 20_000,
  });
  await whiten(hosted);
  await hosted.mouse.move(300, 100); // shows the controls
  const latency = hosted.locator(".latency");
  await expect.poll(() => latency.textContent(), { timeout: 10_000 }).toMatch(/^\d+\.\d s behind$/);
  const parts = { badge: hosted.locator("media-live-button"), latency, unmute: hosted.locator(".unmute") };
  for (const [name, part] of Object.entries(parts))
    expect([name, await contrastOf(hosted, part)]).toEqual([name, expect.toSatisfy((ratio: number) => ratio > 4.5)]);
  expect(await axeFindings(hosted)).toEqual([]);
  await hosted.focus("media-settings-menu-button");
  await hosted.keyboard.press("Enter");
  const focused = () => hosted.evaluate(() => document.activeElement?.textContent?.trim().split(/\s/)[0]);
  await expect.poll(focused).toBe("Quality"); // the speed is the player's
  await hosted.keyboard.press("Escape");
  await hosted.setViewportSize({ width: 200, height: 120 });
  await hosted.mouse.move(100, 40);
  const badge = (await parts.badge.boundingBox())!;
  expect([badge.x >= 0, badge.x + badge.width <= 200, badge.y + badge.height <= 120]).toEqual([true, true, true]);
  await hosted.close();
});

test("the hosted page resumes where it was paused, and the live button and End go where playback does not stall", async () => {
  const hosted = await browser.newPage({ viewport: { width: 640, height: 360 } });
  await hosted.goto(`${platform.baseUrl}/player/${stream.playbackIds[0]!.id}`);
  const position = () => hosted.evaluate(() => document.querySelector("video")!.currentTime);
  const isPaused = () => hosted.evaluate(() => document.querySelector("video")!.paused);
  // "k" does what the play button shows, which is to pause only after the button has seen playback start.
  const canPause = () =>
    document.querySelector("video")?.paused === false &&
    document.querySelector("media-play-button")?.hasAttribute("mediapaused") === false;
  await hosted.waitForFunction(canPause, null, { timeout: 20_000 });
  await hosted.keyboard.press("k");
  await expect.poll(isPaused).toBe(true);
  const pausedAt = await position();
  await after(PAUSE_MS);
  await hosted.keyboard.press("k");
  await expect.poll(isPaused).toBe(false);
  expect((await position()) - pausedAt).toBeLessThan(PAUSE_MS / 1000 / 2);
  const toLive = {
    live: () => hosted.locator("media-live-button").dispatchEvent("click"),
    End: () => hosted.keyboard.press("End"),
  };
  for (const [name, seek] of Object.entries(toLive)) {
    const before = await hosted.evaluate(() => (document.querySelector("video")!.currentTime -= 5));
    await after(1000);
    const target = hosted.evaluate(
      () =>
        new Promise<number>((done) => {
          const video = document.querySelector("video")!;
          video.addEventListener("seeking", () => done(video.seekable.end(0) - video.currentTime), { once: true });
        }),
    );
    await seek();
    expect([name, await target]).toEqual([
      name,
      expect.toSatisfy((seconds: number) => seconds > LEAST_HEADROOM_SECONDS),
    ]);
    expect(await position()).toBeGreaterThan(before + 3);
  }
  const unmute = hosted.locator("button.unmute");
  expect(await unmute.count()).toBe(1);
  await unmute.click();
  expect(await hosted.evaluate(() => document.querySelector("video")!.muted)).toBe(false);
  await expect.poll(() => unmute.count()).toBe(0); // once the browser has announced the change
  await hosted.close();
});

test("above the time line of a DVR window, the hosted page shows the picture of that time", async () => {
  const hosted = await browser.newPage({ viewport: { width: 1000, height: 600 } });
  const urls = await previewsAbove(hosted, () => [4, 14]);
  expect(urls.map((url) => new URL(url).searchParams.get("time"))).toEqual(["0", "10"]);
  for (const [position, seconds] of [0, 10].entries()) {
    const [shown, broadcast] = [await clockIn(urls[position]!), await clockAt(seconds)];
    expect(Math.abs(shown! - broadcast!)).toBeLessThan(2 * FRAME_MS);
  }
  await hosted.close();
});

test("above the time line of a DVR window that has lost its oldest segments, the pictures are of the same times", async () => {
  const hosted = await browser.newPage({ viewport: { width: 1000, height: 600 } });
  const lost: Lost = { segments: 3, seconds: 0 };
  await hosted.route(/\.m3u8/, async (route) => {
    const url = new URL(route.request().url());
    url.searchParams.delete("_HLS_skip");
    const response = await route.fetch({ url: url.href });
    await route.fulfill({ response, body: withoutOldest(await response.text(), lost) });
  });
  const urls = await previewsAbove(hosted, () => [9 - lost.seconds, 14 - lost.seconds]);
  expect(urls.map((url) => new URL(url).searchParams.get("time"))).toEqual(["0", "10"]);
  await hosted.unrouteAll({ behavior: "ignoreErrors" });
  await hosted.close();
});

interface Lost {
  segments: number;
  /** Their duration, once a playlist has been read. */
  seconds: number;
}

/** A media playlist without its oldest segments. Other documents stay as they are. */
function withoutOldest(playlist: string, lost: Lost): string {
  const first = playlist.search(/^#EXT-X-PROGRAM-DATE-TIME/m);
  const uris = [...playlist.matchAll(/^[^#\n]+\n/gm)];
  if (!playlist.includes("#EXTINF") || first < 0 || uris.length <= lost.segments) return playlist;
  const oldest = uris[lost.segments - 1]!;
  const end = oldest.index + oldest[0].length;
  const durations = [...playlist.slice(first, end).matchAll(/^#EXTINF:([\d.]+)/gm)];
  lost.seconds = durations.reduce((sum, [, duration]) => sum + Number(duration), 0);
  const renumber = (_: string, tag: string, msn: string) => tag + (Number(msn) + lost.segments);
  return playlist.slice(0, first).replace(/^(#EXT-X-MEDIA-SEQUENCE:)(\d+)/m, renumber) + playlist.slice(end);
}

/** The addresses of the pictures that the hosted page shows above its time line. @param seconds of the time line */
async function previewsAbove(hosted: Page, seconds: () => number[]): Promise<string[]> {
  await hosted.goto(`${platform.baseUrl}/player/${stream.playbackIds[0]!.id}?dvrMode=true`);
  const times = () =>
    hosted.evaluate(() => {
      const { textTracks, seekable } = document.querySelector("video")!;
      const previews = [...textTracks].find(({ label }) => label === "thumbnails")?.cues?.length ?? 0;
      return { previews, endSeconds: seekable.length > 0 ? seekable.end(0) : 0 };
    });
  await expect.poll(async () => (await times()).previews, { timeout: 20_000 }).toBeGreaterThan(1);
  const line = (await hosted.locator("media-time-range").boundingBox())!;
  const urls: string[] = [];
  for (const at of seconds()) {
    await hosted.mouse.move(line.x + (line.width * at) / (await times()).endSeconds, line.y + line.height / 2);
    const image = hosted.locator("media-time-range media-preview-thumbnail img");
    await expect.poll(() => image.evaluate((element: HTMLImageElement) => element.naturalWidth)).toBe(256);
    urls.push((await image.getAttribute("src"))!);
  }
  return urls;
}

/** The playback ID of the stream's newest recording. */
async function playbackIdOfRecording(): Promise<string> {
  const mediaId = (await streamOf(platform, stream)).mediaIds!.at(-1)!;
  return (await platform.api("GET", `/v1/on-demand/${mediaId}`)).body.data.playbackIds[0]!.id;
}

/** The clock of a picture of the broadcast, epoch ms. */
const clockIn = async (url: string) => clockOf(await readPicture(await getBytes(url), "jpg"));

/** The clock of the frame that is shown at a time of the DVR window, from the segments. */
async function clockAt(seconds: number): Promise<number | null> {
  const segments = (await segmentsOf((await smallestPlaylist(dvrOf(platform, stream)))!))!;
  let startSeconds = 0;
  const segment = segments.find(({ durationSeconds }) => {
    const hasIt = seconds < startSeconds + durationSeconds - FRAME_MS / 2000;
    if (!hasIt) startSeconds += durationSeconds;
    return hasIt;
  })!;
  const [init, media] = await Promise.all([getBytes(segment.initUrl), getBytes(segment.url)]);
  const frame = Math.round((seconds - startSeconds) / (FRAME_MS / 1000));
  return clockOf(await readPicture(Buffer.concat([init, media]), "mp4", frame));
}

function clockOf({ luma, widthPx, heightPx }: ReadPicture): number | null {
  const { left, right, top, bottom } = CODE_PLACE;
  const row = Math.floor((heightPx * (top + bottom)) / 2) * widthPx;
  const bits = Array.from({ length: CODE_BITS }, (_, bit) => {
    const at = widthPx * (left + ((right - left) * (bit + 0.5)) / CODE_BITS);
    return luma[row + Math.floor(at)]! > 128 ? 1 : 0;
  });
  return decodeClock(bits, Date.now());
}

testLiveViews(() => ({ browser, platform, streamId: stream.streamId }));

testLostConnection(() => ({ browser, pageUrl: `${platform.baseUrl}/player/${stream.playbackIds[0]!.id}` }));

test("when the broadcast ends, the hosted page says so over its recording, until that is played", async () => {
  const hosted = await browser.newPage({ viewport: { width: 640, height: 360 } });
  await hosted.goto(`${platform.baseUrl}/player/${stream.playbackIds[0]!.id}`);
  await hosted.waitForFunction(() => (document.querySelector("video")?.currentTime ?? 0) > 0, null, {
    timeout: 20_000,
  });
  await platform.api("PUT", `/v1/live/streams/${stream.streamId}/finish`);
  const over = hosted.locator("main .over");
  await over.waitFor({ state: "visible", timeout: 30_000 });
  expect([await hosted.title(), await hosted.textContent(".title")]).toEqual(["Recording", "Recording"]);
  expect(await over.textContent()).toBe("The broadcast has ended. Play its recording here.");
  // The page says that the broadcast is over, and then loads the recording.
  const requested = () => hosted.evaluate(() => performance.getEntriesByType("resource").map(({ name }) => name));
  const ofRecording = expect.stringContaining(`/${await playbackIdOfRecording()}/`);
  await expect.poll(requested, { timeout: 10_000 }).toContainEqual(ofRecording);
  await whiten(hosted);
  expect(await contrastOf(hosted, over)).toBeGreaterThan(4.5);
  expect(await axeFindings(hosted)).toEqual([]);
  await hosted.keyboard.press("k");
  await over.waitFor({ state: "detached", timeout: 10_000 });
  await hosted.close();
});
