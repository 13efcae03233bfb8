import type { Page } from "playwright-core";

/** What the page itself sees of a play, ms. */
export interface Truth {
  startupMs: number;
  /** Without the pause. */
  watchMs: number;
  seekMs: number;
  /** Playback stood still for lack of data, after it had started and not because of the seek. */
  stalls: number;
  stallMs: number;
  /** The picture got another size, after the first one. */
  qualityChanges: number;
}

const SCRIPT = { pauseAt: 2, pauseMs: 1500, seekAt: 5, seekTo: 13 };

/**
 * Plays, pauses, continues, seeks and plays to the end. The times are of the video element's own events.
 *
 * @param leastReadyState of the video element when playback is asked for; 2 = the first picture is there
 */
export async function playScripted(page: Page, leastReadyState = 2): Promise<Truth> {
  const isLoaded = (least: number) => (document.querySelector("video")?.readyState ?? -1) >= least;
  await page.waitForFunction(isLoaded, leastReadyState, { timeout: 20_000 });
  return await page.evaluate(async ({ pauseAt, pauseMs, seekAt, seekTo }) => {
    const video = document.querySelector("video")!;
    video.muted = true;
    const once = (name: string) =>
      new Promise<number>((done) => video.addEventListener(name, ({ timeStamp }) => done(timeStamp), { once: true }));
    const until = (seconds: number) =>
      new Promise<void>((done) => {
        const check = () => (video.currentTime >= seconds ? done() : requestAnimationFrame(check));
        check();
      });
    let [stalls, stallMs, stalledAt, qualityChanges] = [0, 0, 0, 0];
    let [hasPlayed, canStall] = [false, false];
    video.addEventListener("waiting", ({ timeStamp }) => {
      if (!canStall || video.ended || video.duration - video.currentTime < 0.1) return;
      stalls += 1;
      stalledAt = timeStamp;
    });
    video.addEventListener("playing", ({ timeStamp }) => {
      if (stalledAt > 0) stallMs += timeStamp - stalledAt;
      stalledAt = 0;
      hasPlayed = canStall = true;
    });
    video.addEventListener("seeking", () => (canStall = false));
    video.addEventListener("resize", () => (qualityChanges += hasPlayed ? 1 : 0));
    const first = once("playing");
    const begun = once("play");
    void video.play().catch(() => undefined); // aborted when the source is attached, and played then
    const playedAt = await begun;
    const startupMs = (await first) - playedAt;
    await until(pauseAt);
    const paused = once("pause");
    video.pause();
    const pausedAt = await paused;
    await new Promise((done) => setTimeout(done, pauseMs));
    const again = once("playing");
    await video.play();
    const resumedAt = await again;
    await until(seekAt);
    const seeking = once("seeking");
    video.currentTime = seekTo;
    const seekingAt = await seeking;
    const seekMs = (await once("playing")) - seekingAt;
    const endedAt = await once("ended");
    return { startupMs, watchMs: endedAt - playedAt - (resumedAt - pausedAt), seekMs, stalls, stallMs, qualityChanges };
  }, SCRIPT);
}
