/** The hosted page shows the poster until playback, and the right tile of the sprite sheet above its time line. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { countedFilm, readCounter } from "../support/frame-counter.ts";
import { madeFile } from "../support/made.ts";
import { isReady, type Media } from "../support/platform.ts";
import { talkOf } from "../support/talks.ts";
import { cutPicture, readPicture } from "../support/pictures.ts";
import { openTracksPage } from "./players/open-tracks-page.ts";
import { servePlayerPage } from "./players/page-server.ts";
import { type Stage, startStage } from "./players/stage.ts";
import type { TrackPlayer } from "./players/tracks-page.ts";

/** Length and rate of the film. The ladder has a key frame, and the sheet a tile, every two seconds. */
const [SECONDS, RATE, TILE_SECONDS] = [24, 25, 2];

let stage: Stage;
let base: string;

beforeAll(async () => {
  stage = await startStage();
  const words = [...countedFilm(String(RATE), "640x360"), "-t", String(SECONDS), "-c:v", "mpeg4", "-q:v", "3"];
  await stage.serve("film.mkv", await madeFile(words, "mkv"));
  const { assetId, playbackId } = await stage.platform.create(stage.server.url("/film.mkv"));
  await stage.platform.until(assetId, isReady);
  base = `${stage.platform.baseUrl}/player/${playbackId}`;
});
afterAll(() => stage?.close());

async function open(query = ""): Promise<Page> {
  const page = await stage.browser.newPage({ viewport: { width: 1000, height: 600 } });
  await page.goto(`${base}${query}`);
  await page.waitForFunction(() => (document.querySelector("video")?.readyState ?? 0) >= 2);
  return page;
}

/** The number in a picture of the page's own. */
async function counterOf(page: Page, url: string): Promise<number | null> {
  const answer = await page.request.get(url);
  return readCounter(await readPicture(await answer.body(), "jpg"));
}

test("npm run check:dash finds no fault in a film with a whole frame rate, whose files have another timescale than its MPD", async () => {
  const url = `${base.replace("/player/", "/")}.mpd`;
  const { stdout } = await promisify(execFile)(process.execPath, ["conformance/dash/main.ts", url]);
  expect(stdout).toMatch(/ 0 FAIL/);
});

test("the poster is a picture of the media, and of the time that the page's address asks for", async () => {
  const page = await open("?thumbnail-time=7");
  const poster = await page.evaluate(() => document.querySelector("video")!.poster);
  expect(await counterOf(page, poster)).toBe(7 * RATE);
  await page.close();
  const plain = await open();
  const posterOf = (shown: Page) => shown.evaluate(() => document.querySelector("video")!.poster);
  const chosen = await posterOf(plain);
  expect(await counterOf(plain, chosen)).not.toBeNull();
  await plain.close();
  const late = await open(`?thumbnail-time=${SECONDS + 1}`);
  await expect.poll(() => posterOf(late)).toBe(chosen);
  await late.close();
});

test.each([0.1, 0.52, 0.9])("the preview at %f of the time line shows the tile of that time", async (share) => {
  const page = await open();
  const line = (await page.locator("media-time-range").boundingBox())!;
  await page.mouse.move(line.x + line.width * share, line.y + line.height / 2);
  const preview = page.locator("media-time-range").locator("media-preview-thumbnail");
  await page.waitForFunction(() => {
    const range = document.querySelector("media-time-range");
    const image = range?.shadowRoot?.querySelector("media-preview-thumbnail")?.shadowRoot?.querySelector("img");
    const box = range?.shadowRoot?.querySelector("[part~=preview-box]");
    const isShown = box != null && getComputedStyle(box).opacity === "1";
    return isShown && image?.complete === true && image.naturalWidth > 0 && image.getBoundingClientRect().width > 0;
  });
  const seconds = Number(await page.locator("media-time-range").getAttribute("mediapreviewtime"));
  const shown = await readPicture(await preview.screenshot(), "png");
  expect(readCounter(shown)).toBe(Math.floor(seconds / TILE_SECONDS) * TILE_SECONDS * RATE);
  await page.close();
});

test.each<[TrackPlayer, string]>([
  ["shaka", "m3u8"],
  ["shaka", "mpd"],
  ["dash.js", "mpd"],
])("%s finds the pictures in the .%s, and the tile of each time", async (player, extension) => {
  const harness = await servePlayerPage("tracks-page.ts");
  const page = await stage.browser.newPage();
  const call = await openTracksPage(page, harness.url);
  await call("load", player, `${base.replace("/player/", "/")}.${extension}`);
  for (const seconds of [0.5, 13.1, 22.5]) {
    const preview = (await call("preview", seconds))!;
    const startSeconds = Math.floor(seconds / TILE_SECONDS) * TILE_SECONDS;
    expect(preview).toMatchObject({ place: { widthPx: 256, heightPx: 144 } });
    const sheet = await readPicture(await (await page.request.get(preview.uri)).body(), "jpg");
    expect(readCounter(cutPicture(sheet, preview.place))).toBe(startSeconds * RATE);
  }
  expect(await call("errors")).toEqual([]);
  await page.close();
  await harness.close();
});

test("chapters are marked on the time line, named above it, and selected in the menu", async () => {
  const spoken = talkOf(["bees", "bridges"]).sentences;
  const secondsOf = (n: number) => ((n * SECONDS) / spoken.length).toFixed(3).padStart(6, "0");
  const cues = spoken.map(({ text }, n) => `00:${secondsOf(n)} --> 00:${secondsOf(n + 0.9)}\n${text}`);
  stage.server.add("/film.vtt", { kind: "content", content: Buffer.from(`WEBVTT\n\n${cues.join("\n\n")}\n`) });
  const inputs = [
    { type: "video", url: stage.server.url("/film.mkv") },
    { type: "subtitle", url: stage.server.url("/film.vtt"), languageName: "English", languageCode: "en-US" },
  ];
  const { assetId, playbackId } = await stage.platform.create("", { inputs, chapters: true, namedEntities: true });
  interface Insights {
    chapters?: { status: string; data?: { chapters: { title: string }[] } };
    namedEntities?: { status: string };
  }
  type WithChapters = Media & Insights;
  const isDivided = (media: Media) => (media as WithChapters).chapters?.status === "available";
  const media = (await stage.platform.until(assetId, (one) => isReady(one) && isDivided(one))) as WithChapters;
  const hasNames = (one: Media) => (one as WithChapters).namedEntities?.status === "available";
  await stage.platform.until(assetId, hasNames); // their lexicon is loaded by the real bundle only when it is read
  const { chapters } = media.chapters!.data!;
  expect(chapters).toHaveLength(2);
  const page = await stage.browser.newPage({ viewport: { width: 1000, height: 600 } });
  await page.goto(`${stage.platform.baseUrl}/player/${playbackId}`);
  await page.waitForFunction(() => (document.querySelector("video")?.readyState ?? 0) >= 2);
  const item = page.locator("media-settings-menu .chapters media-chrome-menu-item");
  await expect.poll(() => item.count()).toBe(chapters.length);
  const line = (await page.locator("media-time-range").boundingBox())!;
  await page.mouse.move(line.x + line.width * 0.1, line.y + line.height / 2);
  await expect
    .poll(() => page.locator("media-time-range").getAttribute("mediapreviewchapter"))
    .toBe(chapters[0]!.title);
  await page.locator("media-settings-menu-button").click();
  await page.locator("media-settings-menu .chapters").click();
  const label = item.nth(1).locator("span");
  await label.waitFor(); // the menu has opened
  await expect.poll(async () => (await label.boundingBox())!.x + (await label.boundingBox())!.width).toBeLessThan(1000);
  await item.nth(1).click();
  await expect.poll(() => page.evaluate(() => document.querySelector("video")!.currentTime)).toBeGreaterThan(10);
  await page.close();
});
