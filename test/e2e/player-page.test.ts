import { readFile } from "node:fs/promises";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { buildPlayer } from "../../scripts/build.ts";
import { testAccessibility } from "./pages/accessibility.ts";
import { testDamaged } from "./pages/damaged.ts";
import { testKeyboard } from "./pages/keyboard.ts";
import { testLayout } from "./pages/layout.ts";
import { testLostNetwork } from "./pages/lost-network.ts";
import { testMenus } from "./pages/menus.ts";
import { testNotices } from "./pages/notices.ts";
import { testPrivate } from "./pages/private.ts";
import type { PagesStage } from "./pages/stage.ts";
import { testBrowser } from "./players/chromium.ts";
import { seedLadder } from "./players/seeded-ladder.ts";
import {
  isPoster,
  addStandardSource,
  type PlaybackWorker,
  seedAsset,
  seedStandardSource,
  startPlaybackWorker,
} from "./players/seeded-worker.ts";

let worker: PlaybackWorker;
let browser: Browser;
let stage: PagesStage;
const flower = await readFile(new URL("../fixtures/flower.mp4", import.meta.url));

beforeAll(async () => {
  [worker, browser] = await Promise.all([startPlaybackWorker(), testBrowser(), buildPlayer()]);
  stage = { worker, browser, flower, ladder: (await seedLadder(worker, flower, "Flowers in a meadow")).playbackId };
});

afterAll(() => worker?.close());

/** Opens a hosted page and records its errors. */
async function open(
  path: string,
  size = { width: 1000, height: 600 },
): Promise<{ page: Page; complaints: string[]; hosts: Set<string> }> {
  const page = await browser.newPage({ viewport: size });
  const complaints: string[] = [];
  const hosts = new Set<string>();
  page.on("console", (message) => {
    const { url } = message.location();
    if (message.type() === "error" && !isPoster(url) && !/status of 400/.test(message.text()))
      complaints.push(`${message.text()} ${url}`);
  });
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("request", (request) => hosts.add(new URL(request.url()).host));
  await page.goto(`${worker.url}${path}`);
  return { page, complaints, hosts };
}

test("the page plays from the keyboard, shows the title unchanged, and loads nothing from other origins", async () => {
  const title = `Flowers <img src=x onerror="document.title='broken'"> & "more"`;
  const { playbackId } = await seedStandardSource(worker, flower, title);
  const { page, complaints, hosts } = await open(`/player/${playbackId}`);

  await page.waitForFunction(() => (document.querySelector("video")?.readyState ?? 0) >= 2);
  expect(await page.title()).toBe(title);
  expect(await page.textContent(".title")).toBe(title);
  await page.keyboard.press("k");
  await page.waitForFunction(() => (document.querySelector("video")?.currentTime ?? 0) > 0.5);
  await page.keyboard.press("k");
  expect(await page.evaluate(() => document.querySelector("video")?.paused)).toBe(true);

  const qualities = await page.evaluate(() => {
    const menu = document.querySelector("media-rendition-menu");
    return [...(menu?.shadowRoot?.querySelectorAll("media-chrome-menu-item") ?? [])].map((item) =>
      item.textContent?.trim(),
    );
  });
  expect(qualities.join(" ")).toMatch(/540p.*Auto|Auto.*540p/);
  expect(complaints).toEqual([]);
  expect([...hosts].filter((host) => host !== "")).toEqual([new URL(worker.url).host]);
  await page.close();
});

test("the controls of sound alone stay in view without picture-in-picture, and those over a picture do not", async () => {
  const { assetId, playbackId } = await seedLadder(worker, flower, "Birds");
  for (const kind of ["picture", "sound"]) {
    if (kind === "sound")
      await worker.db.prepare("delete from renditions where asset_id = ? and kind = 'video'").bind(assetId).run();
    const { page } = await open(`/player/${playbackId}`);
    await page.waitForFunction(() => (document.querySelector("video")?.readyState ?? 0) >= 2);
    await page.keyboard.press("k");
    await page.waitForFunction(() => (document.querySelector("video")?.currentTime ?? 0) > 3);
    expect(await page.locator("media-controller[userinactive]").count()).toBe(kind === "picture" ? 1 : 0);
    expect(await page.locator("media-pip-button").isVisible()).toBe(kind === "picture");
    await page.close();
  }
});

test("the page fits a telephone held upright", async () => {
  const { playbackId } = await seedStandardSource(worker, flower, "Flowers");
  const { page } = await open(`/player/${playbackId}`, { width: 360, height: 640 });
  await page.waitForFunction(() => (document.querySelector("video")?.readyState ?? 0) >= 2);
  const widths = await page.evaluate(() => ({
    page: document.documentElement.scrollWidth,
    player: document.querySelector("media-controller")?.getBoundingClientRect().width,
  }));
  expect(widths).toEqual({ page: 360, player: 360 });
  await page.close();
});

test("a page opened too early shows a notice, and starts to play when the media is available", async () => {
  const asset = await seedAsset(worker, "Early");
  const { page, complaints } = await open(`/player/${asset.playbackId}`);
  await page.waitForSelector("progress");
  expect(await page.textContent("h1")).toBe("This video is being prepared");

  await addStandardSource(worker, asset, flower);
  await page.waitForFunction(() => (document.querySelector("video")?.readyState ?? 0) >= 2);
  expect(complaints).toEqual([]);
  await page.close();
});

test("a page of a failed asset shows the failure instead of waiting", async () => {
  const asset = await seedAsset(worker, "Broken");
  await worker.db
    .prepare("update assets set status = 'errored', error_code = 'source_not_media' where id = ?")
    .bind(asset.assetId)
    .run();
  const { page } = await open(`/player/${asset.playbackId}`);
  await page.waitForSelector("h1");
  expect(await page.textContent("h1")).toBe("This video cannot be played");
  expect(await page.textContent("p")).toBe("The file is not a video or audio file.");
  await page.close();
});

test("a page of an unknown id is a plain 'does not exist'", async () => {
  const { page } = await open(`/player/${crypto.randomUUID()}`);
  expect(await page.textContent("h1")).toBe("This video does not exist");
  await page.close();
});

testMenus(() => stage);
testLayout(() => stage);
testKeyboard(() => stage);
testAccessibility(() => stage);
testNotices(() => stage);
testPrivate(() => stage);
testDamaged(() => stage);
testLostNetwork(() => stage);
