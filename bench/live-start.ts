/** From the first byte of a broadcast to the first picture on the hosted page, which was opened before. */
import { launchChromium } from "../test/e2e/players/chromium.ts";
import { startBroadcaster } from "../test/support/clock-broadcaster.ts";
import { newLiveStream } from "../test/support/live-watch.ts";
import { startTestPlatform } from "../test/support/platform.ts";
import { type Figure, median, milliseconds } from "./support/figures.ts";

const ROUNDS = 5;

export async function run(): Promise<Figure[]> {
  const [browser, platform] = await Promise.all([launchChromium(), startTestPlatform({ withIngest: true })]);
  try {
    const times: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const stream = await newLiveStream(platform, { maxResolution: "720p", reconnectWindow: 60 });
      const page = await browser.newPage();
      await page.goto(`${platform.baseUrl}/player/${stream.playbackIds[0]!.id}`);
      await page.waitForSelector(".notice"); // it says that the stream is not on air
      const shown = page
        .waitForFunction(() => (document.querySelector("video")?.getVideoPlaybackQuality().totalVideoFrames ?? 0) > 0)
        .then(() => performance.now());
      const broadcaster = await startBroadcaster(stream.ingest.rtmp);
      const firstByteAt = performance.now();
      times.push((await shown) - firstByteAt);
      await page.close();
      await broadcaster.stop();
    }
    return [
      {
        name: "first ingest byte to first picture",
        value: `p50 ${milliseconds(median(times))}, longest ${milliseconds(Math.max(...times))}`,
        yardstick: "",
        aim: "≤ 3 s",
        isMet: median(times) <= 3000,
        raw: { times },
      },
    ];
  } finally {
    await browser.close();
    await platform.stop();
    await platform.removeHome();
  }
}
