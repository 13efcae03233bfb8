/** Minutes of playback through a network that delays some packets. */
import { HLS_CONFIG } from "../player/hls-config.ts";
import { launchChromium } from "../test/e2e/players/chromium.ts";
import { servePlayerPage } from "../test/e2e/players/page-server.ts";
import { startBroadcaster } from "../test/support/clock-broadcaster.ts";
import { eventually, newLiveStream, segmentsOf, smallestPlaylist } from "../test/support/live-watch.ts";
import { startTestPlatform } from "../test/support/platform.ts";
import { type Figure, milliseconds, quantile } from "./support/figures.ts";
import { watch } from "./support/live-watcher.ts";
import { startNoisyProxy } from "./support/noisy-proxy.ts";

const SECONDS = Number(process.env["BENCH_NOISE_SECONDS"] ?? 300);
const NOISE = { share: 0.03, delayMs: [30, 150] as [number, number] };

export async function run(): Promise<Figure[]> {
  const [browser, page, platform] = await Promise.all([
    launchChromium(),
    servePlayerPage("live-page.ts"),
    startTestPlatform({ withIngest: true }),
  ]);
  const proxy = await startNoisyProxy(Number(new URL(platform.baseUrl).port), NOISE);
  try {
    const stream = await newLiveStream(platform, { maxResolution: "720p" });
    const broadcaster = await startBroadcaster(stream.ingest.rtmp);
    const path = `${stream.playbackIds[0]!.id}.m3u8`;
    const playlist = await eventually("a playlist", () => smallestPlaylist(`${platform.baseUrl}/${path}`));
    await eventually("segments", async () => ((await segmentsOf(playlist))?.length ?? 0) >= 4 || null);
    const url = `http://127.0.0.1:${proxy.port}/${path}`;
    const seen = await watch(browser, page.url, "hls.js", url, { ...HLS_CONFIG }, SECONDS);
    await broadcaster.stop();
    return [
      {
        name: `stalls in ${SECONDS} s, 3 % of packets ${NOISE.delayMs.join(" to ")} ms late`,
        value: `${seen.stalls} stalls, p50 ${milliseconds(quantile(seen.latenciesMs, 0.5))}`,
        yardstick: `${proxy.delayed()} packets held back`,
        aim: "0 stalls",
        isMet: seen.stalls === 0,
        raw: { ...seen, latenciesMs: seen.latenciesMs.map(Math.round) },
      },
    ];
  } finally {
    await Promise.all([browser.close(), page.close(), proxy.stop()]);
    await platform.stop();
    await platform.removeHome();
  }
}
