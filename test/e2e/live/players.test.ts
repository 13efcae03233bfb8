/** Real players in a real browser on a real broadcast. LIVE_PLAY_SECONDS (15) is how long each plays at the edge. */
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Broadcaster, startBroadcaster } from "../../support/clock-broadcaster.ts";
import { dvrOf, eventually, newLiveStream, segmentsOf, smallestPlaylist } from "../../support/live-watch.ts";
import { startTestPlatform, type TestPlatform } from "../../support/platform.ts";
import { launchChromium } from "../players/chromium.ts";
import { servePlayerPage } from "../players/page-server.ts";
import { type Watched, watchLive } from "./watch-live.ts";

const SECONDS = Number(process.env["LIVE_PLAY_SECONDS"] ?? 15);
const BACK_SECONDS = 10;

let platform: TestPlatform;
let browser: Browser;
let page: Awaited<ReturnType<typeof servePlayerPage>>;
let broadcaster: Broadcaster;
let watched: Watched[];

beforeAll(
  async () => {
    [platform, browser, page] = await Promise.all([
      startTestPlatform({ withIngest: true }),
      launchChromium(),
      servePlayerPage("live-page.ts"),
    ]);
    const stream = await newLiveStream(platform);
    broadcaster = await startBroadcaster(stream.ingest.rtmp, {
      widthPx: 480,
      heightPx: 270,
      frameRate: 15,
      bitrateBps: 600_000,
    });
    const hls = dvrOf(platform, stream);
    const playlist = await eventually("a playlist", () => smallestPlaylist(hls));
    await eventually("five segments", async () => ((await segmentsOf(playlist))?.length ?? 0) >= 5 || null);
    const dash = hls.replace(".m3u8", ".mpd");
    const watch = (player: Watched["player"], url: string) =>
      watchLive(browser, page.url, player, url, { seconds: SECONDS, backSeconds: BACK_SECONDS });
    watched = await Promise.all([watch("hls.js", hls), watch("shaka", hls), watch("dash.js", dash)]);
  },
  (SECONDS + 120) * 1000,
);

afterAll(async () => {
  await broadcaster?.stop();
  await Promise.all([browser?.close(), page?.close()]);
  await platform?.stop();
  await platform?.removeHome();
});

test.each(["hls.js", "shaka", "dash.js"] as const)(
  "%s plays at the edge, goes back by DVR and returns, without an error",
  (player) => {
    const seen = watched.find((one) => one.player === player)!;
    expect(seen.errors).toEqual([]);
    expect(seen.badAnswers).toEqual([]);
    expect(seen.latenciesMs.length).toBeGreaterThan(SECONDS * 5); // each second picture of fifteen a second is read
    expect(Math.min(...seen.backMs)).toBeGreaterThan((BACK_SECONDS - 4) * 1000);
    expect(seen.againMs.length).toBeGreaterThan(0);
  },
);
