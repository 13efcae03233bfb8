import type { Browser, Page } from "playwright-core";
import type { PlaybackWorker } from "../players/seeded-worker.ts";

/** What the tests of the hosted pages share. Set before the first test. */
export interface PagesStage {
  worker: PlaybackWorker;
  browser: Browser;
  flower: Uint8Array;
  /** A ready asset with two rungs and two audio tracks. */
  ladder: string;
}

export interface Size {
  width: number;
  height: number;
}

export const SIZES: Size[] = [
  { width: 200, height: 120 },
  { width: 640, height: 360 },
  { width: 1280, height: 720 },
];

/** Opens the player of an asset, and waits for its first picture. @param prepare the page before it loads anything */
export async function openPlayer(
  { browser, worker }: PagesStage,
  playbackId: string,
  viewport: Size,
  colorScheme: "light" | "dark" = "dark",
  prepare: (page: Page) => Promise<unknown> = async () => {},
): Promise<Page> {
  const page = await browser.newPage({ viewport, colorScheme });
  await prepare(page);
  await page.goto(`${worker.url}/player/${playbackId}`);
  await page.waitForFunction(() => (document.querySelector("video")?.readyState ?? 0) >= 2);
  return page;
}
