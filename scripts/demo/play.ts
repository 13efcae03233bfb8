/** Plays the demo's media in a headless browser, and returns the view that the platform recorded of it. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Browser } from "playwright-core";
import type { Platform } from "../local/platform.ts";
import { findBrowser } from "./find-browser.ts";

const MOST_PLAYED_MS = 10_000;
const STARTS_WITHIN_MS = 20_000;
const RECORDED_WITHIN_MS = 15_000;
const POLL_MS = 200;

/** Some figures of the recorded view (docs/guides/video-data.md). */
export interface PlayedView {
  kind: "view";
  viewId: string;
  browser: string;
  startupMs: number;
  watchedMs: number;
  stalls: number;
  averageBitrateBps: number;
  /** Quality of experience, 0 to 1. */
  score: number;
}
export interface NoView {
  kind: "no_view";
  message: string;
}

/** Plays the hosted page to the end, or for 10 s. Never throws: a missing browser does not fail the demo. */
export async function playAndMeasure(platform: Platform, playbackId: string): Promise<PlayedView | NoView> {
  const executablePath = findBrowser();
  if (executablePath === undefined)
    return { kind: "no_view", message: "No Chromium or Chrome was found for a play; $CHROMIUM may name one." };
  try {
    return await playIn(executablePath, `${platform.baseUrl}/player/${playbackId}`, () =>
      recordedView(platform, playbackId),
    );
  } catch (error) {
    const [reason] = (error as Error).message.split("\n");
    return { kind: "no_view", message: `${executablePath} did not play the page: ${reason}` };
  }
}

/**
 * Plays a page and leaves it.
 *
 * @param afterwards runs before the browser is closed, because closing would drop the report that the page sends on leaving
 */
async function playIn<T>(executablePath: string, url: string, afterwards: () => Promise<T>): Promise<T> {
  const { chromium } = await import("playwright-core");
  // The sandbox needs user namespaces, which Docker and root lack. The page is the demo's own.
  const args = ["--autoplay-policy=no-user-gesture-required", "--disable-quic", "--disable-background-networking"];
  const browser: Browser = await chromium.launch({ executablePath, args, chromiumSandbox: false });
  try {
    const page = await browser.newPage();
    await page.addInitScript(playOnceThere);
    await page.goto(url);
    await page.waitForSelector("video", { state: "attached", timeout: STARTS_WITHIN_MS });
    await page.evaluate(async (mostMs) => {
      const video = document.querySelector("video")!;
      const ended = new Promise((done) => video.addEventListener("ended", done, { once: true }));
      await Promise.race([ended, new Promise((done) => setTimeout(done, mostMs))]);
    }, MOST_PLAYED_MS);
    await page.goto("about:blank");
    return await afterwards();
  } finally {
    await browser.close();
  }
}

/** Runs in the page: requests playback before any media is loaded, so that the measured startup includes the loading. */
function playOnceThere(): void {
  const observer = new MutationObserver(() => {
    const video = document.querySelector("video");
    if (video === null) return;
    observer.disconnect();
    video.muted = true;
    void video.play().catch(() => undefined); // attaching the source interrupts playback and resumes it
  });
  observer.observe(document, { childList: true, subtree: true });
}

interface ViewRecord {
  viewId: string;
  isFinal: boolean;
  browserVersion: string | null;
  videoStartupTime: number;
  watchTime: number;
  bufferCount: number;
  averageBitrate: number | null;
  qualityOfExperienceScore: number | null;
}

async function recordedView(platform: Platform, playbackId: string): Promise<PlayedView | NoView> {
  const list = `/v1/data/viewlist?filterby[]=fp_playback_id:${playbackId}&limit=1`;
  const deadline = performance.now() + RECORDED_WITHIN_MS;
  while (performance.now() < deadline) {
    const [listed] = await read<{ viewId: string }[]>(platform, list);
    const view = listed && (await read<ViewRecord>(platform, `/v1/data/viewlist/${listed.viewId}`));
    if (view?.isFinal) return toPlayedView(view);
    await sleep(POLL_MS);
  }
  return { kind: "no_view", message: "The browser played, but its view was not recorded within 15 s." };
}

async function read<T>({ baseUrl, authorization }: Platform, path: string): Promise<T> {
  const answer = await fetch(baseUrl + path, { headers: { authorization } });
  return ((await answer.json()) as { data: T }).data;
}

const toPlayedView = (view: ViewRecord): PlayedView => ({
  kind: "view",
  viewId: view.viewId,
  browser: view.browserVersion ?? "unknown",
  startupMs: view.videoStartupTime,
  watchedMs: view.watchTime,
  stalls: view.bufferCount,
  averageBitrateBps: view.averageBitrate ?? 0,
  score: view.qualityOfExperienceScore ?? 0,
});

/** The figures as lines of a table. */
export const viewRows = ({
  browser,
  startupMs,
  watchedMs,
  stalls,
  averageBitrateBps,
  score,
}: PlayedView): [string, string][] => [
  ["Browser", browser],
  ["Startup", `${Math.round(startupMs)} ms`],
  ["Watched", `${(watchedMs / 1000).toFixed(1)} s`],
  ["Stalls", String(stalls)],
  ["Bitrate", `${(averageBitrateBps / 1e6).toFixed(2)} Mbit/s`],
  ["QoE score", `${score.toFixed(2)} of 1`],
];
