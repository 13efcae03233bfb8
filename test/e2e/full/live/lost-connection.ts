import type { Browser, Page } from "playwright-core";
import { expect, onTestFinished, test } from "vitest";

/** For so long one viewer has no connection, the server refuses those of another, and a third has paused. */
const AWAY_SECONDS = 10;
/** hls.js aims at one second more after a stall, and the latency varies. */
const TOLERANCE_SECONDS = 1.5;
const STEP_MS = 20_000;
/** On a busy machine, playback stalls again after it has been resumed, and the rest is caught up by playing faster. */
const CATCH_UP_MS = 45_000;

/** @param stage the page of a stream that is on air */
export function testLostConnection(stage: () => { browser: Browser; pageUrl: string }): void {
  test(`in real time: after ${AWAY_SECONDS} s without a connection, or of refused ones, the hosted page is at the live edge again, but not after a pause`, async () => {
    const [lost, refused, paused] = await Promise.all([openLive(stage()), openLive(stage()), openLive(stage())]);
    const latencySeconds = await latencyOf(lost);
    const edgeSeconds = () => paused.evaluate(() => document.querySelector("video")!.seekable.end(0));
    await paused.keyboard.press("k");
    await paused.waitForFunction(() => document.querySelector("video")!.paused);
    const pausedAt = await positionOf(paused);
    await Promise.all([
      lost.context().setOffline(true),
      refused.context().route("**/*", (route) => route.abort("connectionrefused")),
    ]);
    const lostAt = await edgeSeconds();
    await expect.poll(edgeSeconds, { timeout: STEP_MS }).toBeGreaterThan(lostAt + AWAY_SECONDS);
    await Promise.all([
      lost.context().setOffline(false),
      refused.context().unrouteAll({ behavior: "ignoreErrors" }),
      paused.keyboard.press("k"),
    ]);

    for (const viewer of [lost, refused])
      await expect
        .poll(() => latencyOf(viewer), { timeout: CATCH_UP_MS })
        .toBeLessThan(latencySeconds + TOLERANCE_SECONDS);
    await expect.poll(() => positionOf(paused), { timeout: STEP_MS }).toBeGreaterThan(pausedAt + 2);
    expect(await latencyOf(paused)).toBeGreaterThan(AWAY_SECONDS);
    await paused.keyboard.press("End");
    await expect
      .poll(() => latencyOf(paused), { timeout: CATCH_UP_MS })
      .toBeLessThan(latencySeconds + TOLERANCE_SECONDS);
  });
}

const positionOf = (page: Page) => page.evaluate(() => document.querySelector("video")!.currentTime);

/** As the page shows it, in seconds; NaN = none, as while it is paused */
const latencyOf = async (page: Page) => Number.parseFloat((await page.textContent(".latency")) ?? "");

/** Opens the page in a browser context of its own, which can be disconnected, and waits until it plays. */
async function openLive({ browser, pageUrl }: { browser: Browser; pageUrl: string }): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 640, height: 360 } });
  onTestFinished(() => context.close());
  const page = await context.newPage();
  await page.goto(pageUrl);
  // "k" does what the play button shows, which is to pause only after the button has seen playback start.
  await page.waitForFunction(
    () => document.querySelector("media-play-button")?.hasAttribute("mediapaused") === false,
    null,
    { timeout: STEP_MS },
  );
  await expect.poll(() => latencyOf(page), { timeout: STEP_MS }).toBeGreaterThan(0);
  return page;
}
