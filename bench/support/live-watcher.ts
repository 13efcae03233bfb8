/** Measures a player's live latency by the clock in its picture. */
import type { Browser } from "playwright-core";
import type { live, LivePlayerName, LiveSample } from "../../test/e2e/players/live-page.ts";

/** Time until a player's latency is steady. */
const SETTLE_SECONDS = 12;

export interface Watched {
  latenciesMs: number[];
  stalls: number;
  errors: string[];
  unread: number;
  /** From opening the page to the first picture. */
  firstPictureMs: number;
}

export const pause = (ms: number) => new Promise((done) => setTimeout(done, ms));

/** @param seconds measured, after the latency is steady */
export async function watch(
  browser: Browser,
  pageUrl: string,
  player: LivePlayerName,
  url: string,
  config: object,
  seconds: number,
): Promise<Watched> {
  const page = await browser.newPage();
  try {
    await page.goto(pageUrl);
    await page.waitForFunction(() => "live" in window);
    const startedAtMs = Date.now();
    await page.evaluate(
      ([name, address, settings]) => (Reflect.get(window, "live") as typeof live).play(name, address, settings, 3),
      [player, url, config] as const,
    );
    await pause(SETTLE_SECONDS * 1000);
    const first = await page.evaluate(() => (Reflect.get(window, "live") as typeof live).samples());
    const stallsBefore = await page.evaluate(() => (Reflect.get(window, "live") as typeof live).log().stalls.length);
    await pause(seconds * 1000);
    const samples: LiveSample[] = await page.evaluate(() => (Reflect.get(window, "live") as typeof live).samples());
    const { stalls, errors } = await page.evaluate(() => (Reflect.get(window, "live") as typeof live).log());
    const read = samples.filter(({ capturedAtMs }) => capturedAtMs !== null);
    return {
      latenciesMs: read.map(({ shownAtMs, capturedAtMs }) => shownAtMs - capturedAtMs!),
      stalls: stalls.length - stallsBefore,
      errors,
      unread: samples.length - read.length,
      firstPictureMs: (first[0]?.shownAtMs ?? Number.NaN) - startedAtMs,
    };
  } finally {
    await page.close();
  }
}
