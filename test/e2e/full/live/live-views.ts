import type { Browser, Page } from "playwright-core";
import { expect, onTestFinished, test } from "vitest";
import type { SharedPlatform } from "../../../support/platform.ts";
import { recordedView } from "../video-data/recorded-view.ts";

/** Between a step of the page and the event by which this test sees it. */
const TOLERANCE_MS = 100;

interface Stage {
  browser: Browser;
  platform: SharedPlatform;
  streamId: string;
}

/** What the hosted page reports of a broadcast. @param stage a stream that is on air */
export function testLiveViews(stage: () => Stage): void {
  test("the startup of a live view is from when the hosted page loads the broadcast to the first picture that plays", async () => {
    const { page, playbackId } = await openNew(stage());
    await page.addInitScript(() =>
      addEventListener("playing", ({ timeStamp }) => performance.mark("playing", { startTime: timeStamp }), true),
    );
    await page.goto(stage().platform.baseUrl + `/player/${playbackId}`);
    const startup = await page.waitForFunction((manifest) => {
      const [playing] = performance.getEntriesByName("playing");
      // The page asks whether there is something to play, and then hls.js loads it.
      const [, loaded] = performance.getEntriesByType("resource").filter(({ name }) => name.includes(manifest));
      return playing && loaded ? playing.startTime - loaded.startTime : null;
    }, `/${playbackId}.m3u8`);
    const startupMs = await startup.jsonValue();
    await page.goto("about:blank");
    const view = await recordedView(stage().platform, playbackId, "viewCompleted");
    expect(Math.abs(view.videoStartupTime - startupMs!)).toBeLessThan(TOLERANCE_MS);
    expect(view.events.map(({ e }) => e).slice(0, 3)).toEqual(["viewBegin", "play", "playing"]);
  });

  test("a viewer who leaves before a broadcast plays has a view that ended before its first picture", async () => {
    const { page, playbackId } = await openNew(stage());
    const loading = page.waitForRequest(/\.m4s/);
    await page.route(/\.m4s/, () => undefined); // no media ever comes
    await page.goto(stage().platform.baseUrl + `/player/${playbackId}`);
    await loading;
    await page.goto("about:blank");
    const view = await recordedView(stage().platform, playbackId, "viewCompleted");
    expect(view).toMatchObject({ exitBeforeVideoStart: true, viewHasError: false, videoStartupTime: null });
    expect(view.watchTime).toBeGreaterThan(0);
  });

  test("when the browser refuses to begin by itself, the play button is there, and the view begins when it is used", async () => {
    const { page, playbackId } = await openNew(stage());
    await page.addInitScript(() => {
      let hasGesture = false; // not `navigator.userActivation`: what Playwright evaluates counts as a gesture
      addEventListener("keydown", () => (hasGesture = true), true);
      const play = Object.getOwnPropertyDescriptor(HTMLMediaElement.prototype, "play")!.value as () => Promise<void>;
      HTMLMediaElement.prototype.play = function (this: HTMLMediaElement) {
        if (hasGesture) return play.call(this);
        document.documentElement.dataset["refused"] = "yes";
        return Promise.reject(new DOMException("no gesture", "NotAllowedError"));
      };
    });
    const reported: string[] = [];
    page.on("request", (request) => request.url().includes("/beacons/") && reported.push(request.postData() ?? ""));
    await page.goto(stage().platform.baseUrl + `/player/${playbackId}`);
    await page.locator("html[data-refused]").waitFor({ state: "attached" });
    await page.locator("media-play-button:visible").first().waitFor();
    await page.locator(".starting").waitFor({ state: "detached" });
    expect(reported).toEqual([]);
    const clickedMs = Date.now();
    await page.keyboard.press("k");
    await page.waitForFunction(() => document.querySelector("video")!.currentTime > 0);
    const mostStartupMs = Date.now() - clickedMs;
    await page.goto("about:blank");
    const view = await recordedView(stage().platform, playbackId, "viewCompleted");
    expect(view.videoStartupTime).toBeLessThan(mostStartupMs);
    expect(view.events[0]).toMatchObject({ e: "viewBegin" });
  });
}

/** A page of its own context, and a playback ID of its own, by which its view is found. */
async function openNew({ browser, platform, streamId }: Stage): Promise<{ page: Page; playbackId: string }> {
  const path = `/v1/live/streams/${streamId}/playback-ids`;
  const { body } = await platform.api<{ id: string }>("POST", path, { accessPolicy: "public" });
  const context = await browser.newContext({ viewport: { width: 640, height: 360 } });
  onTestFinished(() => context.close());
  return { page: await context.newPage(), playbackId: body.data.id };
}
