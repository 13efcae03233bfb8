/** Real players in a real browser on a real broadcast. Each plays for LIVE_PLAY_SECONDS (15) at the live edge. */
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Broadcaster, startBroadcaster } from "../../support/clock-broadcaster.ts";
import {
  dvrOf,
  eventually,
  type LiveStreamRecord,
  newLiveStream,
  segmentsOf,
  smallestPlaylist,
} from "../../support/live-watch.ts";
import { startTestPlatform, type TestPlatform } from "../../support/platform.ts";
import { commandOf, descendantsOf } from "../../support/processes.ts";
import { launchChromium } from "../players/chromium.ts";
import { servePlayerPage } from "../players/page-server.ts";
import { type Watched, watchLive } from "./watch-live.ts";

const SECONDS = Number(process.env["LIVE_PLAY_SECONDS"] ?? 15);
const BACK_SECONDS = 10;
const SOURCE = { widthPx: 480, heightPx: 270, frameRate: 15, bitrateBps: 600_000 };
/** Maximum latency of the last picture shown at the live edge. */
const MOST_LATENCY_MS = 5000;
const PLAYERS = ["hls.js", "shaka", "dash.js"] as const;
/** Interruptions: the encoder is killed, later the broadcaster is disconnected for some time. */
const [KILL_AFTER_MS, CUT_AFTER_MS, AWAY_MS, INTERRUPTED_SECONDS] = [5000, 12_000, 3000, 24];

let platform: TestPlatform;
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
      startTestPlatform({ withIngest: true }),
      launchChromium(),
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
  await Promise.all([browser?.close(), page?.close()]);
  await platform?.stop();
  await platform?.removeHome();
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
    expect(seen.errors.filter((error) => !isRetried(error))).toEqual([]);
    expect(seen.badAnswers).toEqual([]);
    const stalls = seen.stalls.filter(({ atMs }) => atMs >= killedAtMs && atMs < cutAtMs);
    expect(stalls.length).toBeLessThanOrEqual(1);
    expect(seen.latenciesMs.at(-1)).toBeLessThan(MOST_LATENCY_MS);
  },
);
