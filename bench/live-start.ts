/**
 * Time from the first byte of a broadcast to the first picture on the hosted page (hls.js), which was opened before. Yardstick: ffmpeg
 * remuxing the same broadcast to plain HLS, from the first byte to a playlist with a segment.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempDisposable, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { launchChromium } from "../test/e2e/players/chromium.ts";
import { startBroadcaster } from "../test/support/clock-broadcaster.ts";
import { newLiveStream } from "../test/support/live-watch.ts";
import { freePort, startTestPlatform, type TestPlatform } from "../test/support/platform.ts";
import { type Figure, median, milliseconds } from "./support/figures.ts";
import { pause } from "./support/live-watcher.ts";

const ROUNDS = 5;
/** Key frame intervals of the source, which determine the segments of a copied rung. */
const KEY_SECONDS = [1, 2];
const AIM_MS = 1500;

export async function run(): Promise<Figure[]> {
  const [browser, platform] = await Promise.all([launchChromium(), startTestPlatform({ withIngest: true })]);
  try {
    const figures: Figure[] = [];
    for (const keySeconds of KEY_SECONDS) {
      const [times, plain]: number[][] = [[], []];
      for (let round = 0; round < ROUNDS; round += 1) {
        times!.push(await firstPictureMs(browser, platform, keySeconds));
        plain!.push(await firstPlainSegmentMs(keySeconds));
      }
      const [ours, theirs] = [median(times!), median(plain!)];
      figures.push({
        name: `first ingest byte to first picture, key frames each ${keySeconds} s`,
        value: `p50 ${milliseconds(ours)}, longest ${milliseconds(Math.max(...times!))}`,
        yardstick: `ffmpeg remuxing to HLS of 2 s, first segment listed: p50 ${milliseconds(theirs)}; ratio ${(ours / theirs).toFixed(2)}`,
        aim: `≤ ${milliseconds(AIM_MS)}`,
        isMet: ours <= AIM_MS,
        raw: { times: times!, plain: plain! },
      });
    }
    return figures;
  } finally {
    await browser.close();
    await platform.stop();
    await platform.removeHome();
  }
}

async function firstPictureMs(browser: Browser, platform: TestPlatform, keySeconds: number): Promise<number> {
  const stream = await newLiveStream(platform, { maxResolution: "720p", reconnectWindow: 60 });
  const page = await browser.newPage();
  await page.goto(`${platform.baseUrl}/player/${stream.playbackIds[0]!.id}`);
  await page.waitForSelector(".notice"); // the notice that the stream is not on air
  const shown = page
    .waitForFunction(() => (document.querySelector("video")?.getVideoPlaybackQuality().totalVideoFrames ?? 0) > 0)
    .then(() => performance.now());
  const broadcaster = await startBroadcaster(stream.ingest.rtmp, { keySeconds });
  const firstByteAt = performance.now();
  const tookMs = (await shown) - firstByteAt;
  await page.close();
  await broadcaster.stop();
  return tookMs;
}

async function firstPlainSegmentMs(keySeconds: number): Promise<number> {
  await using folder = await mkdtempDisposable(join(tmpdir(), "sluice-plain-start-"));
  const playlist = join(folder.path, "index.m3u8");
  const url = `rtmp://127.0.0.1:${await freePort()}/live/x`;
  const child = spawn("ffmpeg", `-v error -listen 1 -i ${url} -c copy -f hls -hls_time 2 ${playlist}`.split(" "));
  const ended = once(child, "exit");
  try {
    await pause(500); // it has no other way of saying that it listens
    const broadcaster = await startBroadcaster(url, { keySeconds });
    const firstByteAt = performance.now();
    while (!(await readFile(playlist, "utf8").catch(() => "")).includes("#EXTINF")) await pause(10);
    const tookMs = performance.now() - firstByteAt;
    await broadcaster.stop();
    return tookMs;
  } finally {
    child.kill("SIGKILL");
    await ended;
  }
}
