import { readFile } from "node:fs/promises";
import type { Page, Route } from "playwright-core";
import { expect, test } from "vitest";
import { seedStandardSource } from "../players/seeded-worker.ts";
import { loopedFilm } from "./looped-film.ts";
import { reportedBy } from "./reported.ts";
import { openPlayer, type PagesStage } from "./stage.ts";

const SIZE = { width: 640, height: 360 };
/** Tries of hls.js within 10 s: it waits longer after each. */
const TRIES = 5;
const FIRST_SEGMENT = /\/0\.m4s/;

const seedFilm = async ({ worker }: PagesStage, title: string) =>
  await seedStandardSource(worker, new Uint8Array(await readFile(await loopedFilm())), title);

/** Opens a film of which only the first segment can be loaded. @param answer to the requests for the others */
async function openCutOff(
  stage: PagesStage,
  answer: (route: Route) => Promise<void>,
  film = seedFilm(stage, "Cut"),
): Promise<Page> {
  const { playbackId } = await film;
  const page = await openPlayer(stage, playbackId, SIZE, "dark", (opened) =>
    opened.route(/\.m4s/, (route) => (FIRST_SEGMENT.test(route.request().url()) ? route.continue() : answer(route))),
  );
  return page;
}

const waits = (page: Page) =>
  page.waitForFunction(() => {
    const { currentTime, readyState } = document.querySelector("video")!;
    return currentTime > 2 && readyState < HTMLMediaElement.HAVE_FUTURE_DATA;
  });

/** Adds captions to a multivariant playlist, which cannot be loaded. */
const withMissingCaptions = (playlist: string) =>
  playlist
    .replaceAll(/^(#EXT-X-STREAM-INF:.*?)(,CLOSED-CAPTIONS=NONE)?$/gm, '$1,SUBTITLES="subs"')
    .replace(
      "#EXT-X-STREAM-INF",
      '#EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="subs",NAME="English",LANGUAGE="en",DEFAULT=YES,AUTOSELECT=YES,URI="missing.m3u8"\n$&',
    );

export function testLostNetwork(stage: () => PagesStage): void {
  test(
    "when connections are refused for a while, playback waits for the next segment and then continues to the end",
    { tags: ["full"] },
    async () => {
      let refused = 0;
      const page = await openCutOff(stage(), (route) => {
        refused += 1;
        return route.abort("connectionrefused");
      });
      const events = reportedBy(page);
      await page.keyboard.press("k");
      await waits(page);
      await expect.poll(() => refused, { timeout: 30_000 }).toBeGreaterThan(TRIES);
      expect(await page.locator(".notice").count()).toBe(0);
      await page.unroute(/\.m4s/);
      await page.waitForFunction(() => document.querySelector("video")!.ended);
      await expect.poll(() => events).toContain("viewCompleted");
      expect(events).not.toContain("error");
      await page.close();
    },
  );

  test("when the server refuses a segment, all before it is played, and the notice's button tries again", async () => {
    const page = await openCutOff(stage(), (route) => route.fulfill({ status: 403 }));
    const events = reportedBy(page);
    await page.keyboard.press("k");
    await waits(page);
    await page.waitForSelector(".notice");
    expect(await page.textContent("h1")).toBe("Playback stopped");
    await expect.poll(() => events).toContain("error");
    await page.unroute(/\.m4s/);
    await page.getByRole("button", { name: "Try again" }).click();
    await page.waitForFunction(() => (document.querySelector("video")?.readyState ?? 0) >= 2);
    await page.close();
  });

  test("when access ends during playback, the page says that the video is private", async () => {
    const film = seedFilm(stage(), "Public until now");
    const page = await openCutOff(stage(), (route) => route.fulfill({ status: 401 }), film);
    const { playbackId } = await film;
    await stage()
      .worker.db.prepare("update playback_ids set access_policy = 'private' where id = ?")
      .bind(playbackId)
      .run();
    await page.keyboard.press("k");
    await page.waitForSelector(".notice");
    expect(await page.textContent("h1")).toBe("This video is private");
    await page.close();
  });

  test(
    "captions that the server refuses do not end playback, and are turned off after the tries of hls.js",
    { tags: ["full"] },
    async () => {
      const { playbackId } = await seedFilm(stage(), "Without captions");
      let refused = 0;
      const page = await openPlayer(stage(), playbackId, SIZE, "dark", async (opened) => {
        await opened.route(new RegExp(`${playbackId}\\.m3u8`), async (route) => {
          const answer = await route.fetch();
          await route.fulfill({ response: answer, body: withMissingCaptions(await answer.text()) });
        });
        await opened.route(/missing\.m3u8/, (route) => {
          refused += 1;
          return route.fulfill({ status: 404 });
        });
      });
      await page.keyboard.press("k");
      await page.waitForFunction(() => document.querySelector("video")!.ended);
      expect(await page.locator(".notice").count()).toBe(0);
      expect(refused).toBeLessThan(7);
      await page.close();
    },
  );
}
