/**
 * Latency of hls.js that joins a broadcast at ten phases of a segment. What a player loads first depends on how much of the newest segment is
 * there, so one join can be slow where nine are not. The broadcast is small, so that it loads neither encoder nor player.
 */
import type { Browser } from "playwright-core";
import { HLS_CONFIG } from "../player/hls-config.ts";
import { launchChromium } from "../test/e2e/players/chromium.ts";
import type { live, LiveSample } from "../test/e2e/players/live-page.ts";
import { servePlayerPage } from "../test/e2e/players/page-server.ts";
import { startBroadcaster } from "../test/support/clock-broadcaster.ts";
import { startTestPlatform } from "../test/support/platform.ts";
import { type Figure, milliseconds, quantile } from "./support/figures.ts";
import { pause } from "./support/live-watcher.ts";

const PHASES = 10;
const SEGMENT_MS = 2000;
/** Time on air before the first viewer joins. */
const RUNNING_MS = 8000;
const WATCHED_MS = 10_000;
/** The last seconds of a viewer, in which its latency is steady. */
const STEADY_MS = 3000;
const POLL_MS = 10;

interface Join {
  phase: number;
  latencyMs: number;
  stalls: number;
  errors: string[];
}

/** @returns when the newest segment was listed, epoch ms */
async function nextSegment(playlistUrl: string): Promise<number> {
  const newest = async () => (await (await fetch(playlistUrl)).text()).match(/^[^#\s]+\.m4s$/gm)?.at(-1);
  const before = await newest();
  while ((await newest()) === before) await pause(POLL_MS);
  return Date.now();
}

async function joinAt(
  phase: number,
  browser: Browser,
  pageUrl: string,
  manifestUrl: string,
  playlistUrl: string,
): Promise<Join> {
  const page = await browser.newPage();
  try {
    await page.goto(pageUrl);
    await page.waitForFunction(() => "live" in window);
    const atMs = (await nextSegment(playlistUrl)) + (phase * SEGMENT_MS) / PHASES;
    await pause(Math.max(0, atMs - Date.now()));
    await page.evaluate(
      ([address, settings]) => (Reflect.get(window, "live") as typeof live).play("hls.js", address, settings),
      [manifestUrl, { ...HLS_CONFIG }] as const,
    );
    await pause(WATCHED_MS);
    const samples: LiveSample[] = await page.evaluate(() => (Reflect.get(window, "live") as typeof live).samples());
    const { stalls, errors } = await page.evaluate(() => (Reflect.get(window, "live") as typeof live).log());
    const lastMs = samples.at(-1)?.shownAtMs ?? 0;
    const steady = samples.filter((one) => one.capturedAtMs !== null && one.shownAtMs > lastMs - STEADY_MS);
    const latencyMs = quantile(
      steady.map(({ shownAtMs, capturedAtMs }) => shownAtMs - capturedAtMs!),
      0.5,
    );
    return { phase, latencyMs, stalls: stalls.length, errors };
  } finally {
    await page.close();
  }
}

async function joins(browser: Browser, pageUrl: string, partTargetMs: number): Promise<Join[]> {
  const platform = await startTestPlatform({ withIngest: true, vars: { LIVE_PART_TARGET_MS: String(partTargetMs) } });
  try {
    const { body } = await platform.api<{ ingest: { rtmp: string }; playbackIds: { id: string }[] }>(
      "POST",
      "/v1/live/streams",
      { playbackSettings: { accessPolicy: "public" }, inputMediaSettings: { maxResolution: "480p" } },
    );
    const { ingest, playbackIds } = body.data;
    const broadcaster = await startBroadcaster(ingest.rtmp, { widthPx: 426, heightPx: 240, bitrateBps: 400_000 });
    try {
      const manifestUrl = `${platform.baseUrl}/${playbackIds[0]!.id}.m3u8`;
      while (!(await fetch(manifestUrl)).ok) await pause(POLL_MS);
      const manifest = await (await fetch(manifestUrl)).text();
      const playlistUrl = new URL(manifest.match(/^[^#\s].*$/m)![0], manifestUrl).href;
      await pause(RUNNING_MS);
      const found: Join[] = [];
      for (let phase = 0; phase < PHASES; phase++)
        found.push(await joinAt(phase, browser, pageUrl, manifestUrl, playlistUrl));
      return found;
    } finally {
      await broadcaster.stop();
    }
  } finally {
    await platform.stop();
    await platform.removeHome();
  }
}

export async function run(): Promise<Figure[]> {
  const browser = await launchChromium();
  const page = await servePlayerPage("live-page.ts");
  try {
    const figures: Figure[] = [];
    const cases: [number, number][] = [
      [200, 1000],
      [500, 1600],
    ];
    for (const [partTargetMs, aimMs] of cases) {
      const found = await joins(browser, page.url, partTargetMs);
      const latencies = found.map(({ latencyMs }) => latencyMs);
      const [best, worst] = [Math.min(...latencies), Math.max(...latencies)];
      const stalls = found.reduce((sum, one) => sum + one.stalls, 0);
      figures.push({
        name: `hls.js joined at ${PHASES} phases of a segment, PART-TARGET ${partTargetMs / 1000} s`,
        value: `worst p50 ${milliseconds(worst)}, median ${milliseconds(quantile(latencies, 0.5))}, ${stalls} stalls`,
        yardstick: `the best phase: p50 ${milliseconds(best)}`,
        aim: `p50 ≤ ${milliseconds(aimMs)} at every phase`,
        isMet: worst <= aimMs,
        raw: { joins: found },
      });
    }
    return figures;
  } finally {
    await page.close();
    await browser.close();
  }
}
