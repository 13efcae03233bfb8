/** Viewers who join at any phase of a segment are near the live edge. */
import { expect, test } from "vitest";
import { startBroadcaster } from "../../../support/clock-broadcaster.ts";
import { manifestOf, newLiveStream } from "../../../support/live-watch.ts";
import { startTestPlatform } from "../../../support/platform.ts";
import { testBrowser } from "../../players/chromium.ts";
import { joinAtPhase, type Join, listedStream, PHASES, SMALL_BROADCAST } from "../../players/join-at-phase.ts";
import { servePlayerPage } from "../../players/page-server.ts";

/** One segment more than the usual latency of 1 to 1.6 s. A player that finds no sound for its first picture stays 6 s behind. */
const MOST_LATENCY_MS = 3600;
const WATCHED_MS = 8000;

test.each([200, 500])(
  "hls.js that joins at any of ten phases of a segment with parts of %i ms plays near the live edge",
  async (partTargetMs) => {
    const [platform, browser, page] = await Promise.all([
      startTestPlatform({ withIngest: true, vars: { LIVE_PART_TARGET_MS: String(partTargetMs) } }),
      testBrowser(),
      servePlayerPage("live-page.ts"),
    ]);
    try {
      const stream = await newLiveStream(platform);
      const broadcaster = await startBroadcaster(stream.ingest.rtmp, SMALL_BROADCAST);
      try {
        const listed = await listedStream(manifestOf(platform, stream));
        const joins: Promise<Join>[] = [];
        for (let phase = 0; phase < PHASES; phase++) {
          const { promise: joined, resolve } = Promise.withResolvers<void>();
          const join = joinAtPhase(browser, page.url, listed, { phase, watchedMs: WATCHED_MS, hasJoined: resolve });
          joins.push(join);
          await Promise.race([joined, join]);
        }
        for (const { phase, latenciesMs } of await Promise.all(joins)) {
          const sorted = latenciesMs.toSorted((a, b) => a - b);
          expect(sorted.length, `pictures at phase ${phase}`).toBeGreaterThan(5);
          expect(sorted[Math.floor(sorted.length / 2)], `latency at phase ${phase}`).toBeLessThan(MOST_LATENCY_MS);
        }
      } finally {
        await broadcaster.stop();
      }
    } finally {
      await page.close();
      await platform.stop();
      await platform.removeHome();
    }
  },
  180_000,
);
