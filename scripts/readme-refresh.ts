/** `npm run readme:refresh`: runs the demo, and renews its output and the two pictures in the README, and the picture of chapters in the guide. Needs Chromium. */
import { readFile, stat, writeFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { launchChromium } from "../test/e2e/players/chromium.ts";
import { asReader, withDemoOutput } from "./readme/demo-block.ts";
import { withChaptersPage } from "./readme/chapters-page.ts";
import { withDemo } from "./readme/run-demo.ts";

const SIZE = { width: 1280, height: 720 };
const MOST_BYTES = 200_000;
/** A moment of the demo's clip with the flower in the middle. */
const STILL_SECONDS = 2;
/** In the second chapter. */
const CHAPTER_SECONDS = 42;

/** Opens the page in Chromium, waits for the moment, and takes the picture. */
async function photograph(playerUrl: string, path: string, moment: (page: Page) => Promise<unknown>): Promise<void> {
  const browser = await launchChromium();
  try {
    const page = await browser.newPage({ viewport: SIZE });
    await page.goto(playerUrl);
    await page.waitForFunction(() => (document.querySelector("video")?.readyState ?? 0) >= 2);
    await moment(page);
    await page.mouse.move(SIZE.width / 2, SIZE.height / 3); // shows the controls
    await page.waitForTimeout(500); // they fade in
    await page.screenshot({ path, type: "jpeg", quality: 82 });
  } finally {
    await browser.close();
  }
  const { size } = await stat(path);
  if (size > MOST_BYTES) throw new Error(`${path} has ${size} bytes; the limit is ${MOST_BYTES}.`);
  console.log(`${path}: ${Math.round(size / 1024)} KiB`);
}

async function pauseAt(page: Page, seconds: number): Promise<void> {
  await page.evaluate(async (at) => {
    const video = document.querySelector("video")!;
    const sought = new Promise((done) => video.addEventListener("seeked", done, { once: true }));
    video.currentTime = at;
    await sought;
  }, seconds);
}

/** Opens the menu of chapters in the second one. */
async function openChapters(page: Page): Promise<void> {
  await page.locator("media-settings-menu .chapters media-chrome-menu-item").nth(1).waitFor({ state: "attached" });
  await pauseAt(page, CHAPTER_SECONDS);
  await page.locator("media-settings-menu-button").click();
  await page.locator("media-settings-menu .chapters").click();
}

/** Waits some seconds at the live edge, so that the latency is steady. */
async function watchLive(page: Page): Promise<void> {
  await page.waitForFunction(() => /behind/.test(document.querySelector(".latency")?.textContent ?? ""));
  await page.waitForTimeout(8000);
}

await withDemo([], async (demo) => {
  await photograph(demo.playerUrl, "docs/images/player.jpg", (page) => pauseAt(page, STILL_SECONDS));
  await writeFile("README.md", withDemoOutput(await readFile("README.md", "utf8"), asReader(demo.output, demo)));
  console.log("README.md: the demo's output");
});
await withDemo(["--live"], ({ playerUrl }) => photograph(playerUrl, "docs/images/live-player.jpg", watchLive));
await withChaptersPage((playerUrl) => photograph(playerUrl, "docs/images/chapters.jpg", openChapters));
