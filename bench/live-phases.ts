/** Latency of hls.js that joins a broadcast at ten phases of a segment (`join-at-phase.ts`). The broadcast is small, so that it loads neither encoder nor player. */
import type { Browser } from "playwright-core";
import { launchChromium } from "../test/e2e/players/chromium.ts";
import { joinAtPhase, listedStream, PHASES, SMALL_BROADCAST } from "../test/e2e/players/join-at-phase.ts";
import { servePlayerPage } from "../test/e2e/players/page-server.ts";
import { startBroadcaster } from "../test/support/clock-broadcaster.ts";
import { startTestPlatform } from "../test/support/platform.ts";
import { type Figure, milliseconds, quantile } from "./support/figures.ts";
import { pause } from "./support/live-watcher.ts";

/** Time on air before the first viewer joins. */
const RUNNING_MS = 8000;
const WATCHED_MS = 10_000;

interface Join {
  phase: number;
  latencyMs: number;
  stalls: number;
  errors: string[];
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
    const broadcaster = await startBroadcaster(ingest.rtmp, SMALL_BROADCAST);
    try {
      const listed = await listedStream(`${platform.baseUrl}/${playbackIds[0]!.id}.m3u8`);
      await pause(RUNNING_MS);
      const found: Join[] = [];
      for (let phase = 0; phase < PHASES; phase++) {
        const { latenciesMs, ...join } = await joinAtPhase(browser, pageUrl, listed, { phase, watchedMs: WATCHED_MS });
        found.push({ ...join, latencyMs: quantile(latenciesMs, 0.5) });
      }
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
