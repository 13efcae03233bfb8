import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { axeFindings } from "./axe.ts";
import { seedAsset } from "../players/seeded-worker.ts";
import { openPlayer, type PagesStage } from "./stage.ts";

const SIZE = { width: 640, height: 360 };
const SCHEMES = ["light", "dark"] as const;

/** States of the player, each reached from the one before. */
const STATES: Record<string, (page: Page) => Promise<unknown>> = {
  paused: async () => undefined,
  "with captions": async (page) => {
    await page.evaluate(() => document.querySelector("video")!.addTextTrack("captions", "English", "en"));
    await page.locator("media-captions-button").waitFor({ state: "visible" });
  },
  "with the settings open": async (page) => {
    await page.locator("media-settings-menu-button").click();
    await page.waitForFunction(() => getComputedStyle(document.querySelector("media-settings-menu")!).opacity === "1");
  },
  "with a list of the settings open": async (page) => {
    await page.locator("media-settings-menu-item").first().click();
    await page.locator("media-playback-rate-menu media-chrome-menu-item").last().hover();
  },
  playing: async (page) => {
    await page.evaluate(() => document.querySelector("video")!.play());
    await page.waitForFunction(() => document.querySelector("video")!.currentTime > 0.1);
    await page.mouse.move(300, 100); // the controls are shown
  },
};

export function testAccessibility(stage: () => PagesStage): void {
  describe.each(SCHEMES)("axe finds nothing (%s)", (colorScheme) => {
    test("in the player", async () => {
      const page = await openPlayer(stage(), stage().ladder, SIZE, colorScheme);
      for (const [state, reach] of Object.entries(STATES)) {
        await reach(page);
        expect({ [state]: await axeFindings(page) }).toEqual({ [state]: [] });
      }
      await page.close();
    });

    test("in the notices", async () => {
      const { worker, browser } = stage();
      const [early, failed] = [await seedAsset(worker, "Early"), await seedAsset(worker, "Failed")];
      await worker.db
        .prepare("update assets set status = 'errored', error_code = 'source_unresolvable' where id = ?")
        .bind(failed.assetId)
        .run();
      const page = await browser.newPage({ viewport: SIZE, colorScheme });
      for (const path of [early.playbackId, failed.playbackId, crypto.randomUUID(), "nonsense"]) {
        await page.goto(`${worker.url}/player/${path}`, { waitUntil: "load" });
        expect({ [path]: await axeFindings(page) }).toEqual({ [path]: [] });
      }
      await page.close();
    });
  });
}
