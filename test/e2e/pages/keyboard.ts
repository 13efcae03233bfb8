import type { Frame, Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { openPlayer, type PagesStage } from "./stage.ts";

const SIZE = { width: 640, height: 360 };
const isPlaying = () => document.querySelector("video")?.paused === false;
const position = (page: Page | Frame) => page.evaluate(() => document.querySelector("video")!.currentTime);

/** The first word of the focused element, also inside of shadow trees. */
function focusedWord(): string | undefined {
  let element = document.activeElement;
  while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
  return element?.textContent?.trim().split(/\s+/)[0];
}

export function testKeyboard(stage: () => PagesStage): void {
  describe("the keyboard", () => {
    test("works as soon as the page has focus, without a Tab first", async () => {
      const page = await openPlayer(stage(), stage().ladder, SIZE);
      await page.keyboard.press("k");
      await page.waitForFunction(isPlaying);
      await page.keyboard.press("Space");
      await page.waitForFunction(() => document.querySelector("video")!.paused);
      await page.keyboard.press("m");
      await page.waitForFunction(() => document.querySelector("video")!.muted);
      await page.keyboard.press("ArrowRight");
      await page.waitForFunction(() => document.querySelector("video")!.currentTime > 3);
      await page.keyboard.press("ArrowLeft");
      await expect.poll(() => position(page)).toBeLessThan(1);
      await page.close();
    });

    test("seeks to the start, the end and tenths of the media, except in a menu", async () => {
      const page = await openPlayer(stage(), stage().ladder, SIZE);
      const share = () =>
        page.evaluate(() => {
          const { currentTime, duration } = document.querySelector("video")!;
          return currentTime / duration;
        });
      const keys: [key: string, share: number][] = [
        ["5", 0.5],
        ["End", 1],
        ["Home", 0],
        ["9", 0.9],
        ["0", 0],
      ];
      for (const [key, wanted] of keys) {
        await page.keyboard.press(key);
        await expect.poll(share, { message: key }).toBeCloseTo(wanted, 1);
      }
      await page.focus("media-time-range");
      await page.keyboard.press("3");
      await expect.poll(share).toBeCloseTo(0.3, 1);
      await page.focus("media-settings-menu-button");
      await page.keyboard.press("Enter");
      await expect.poll(() => page.evaluate(focusedWord)).toBe("Speed");
      await page.keyboard.press("End");
      await page.keyboard.press("Control+5");
      await expect.poll(share).toBeCloseTo(0.3, 1);
      await page.close();
    });

    test("leaves the browser's own shortcuts alone", async () => {
      const page = await openPlayer(stage(), stage().ladder, SIZE);
      await page.keyboard.press("Control+k");
      await page.keyboard.press("m"); // is handled after the other, if that is handled at all
      await page.waitForFunction(() => document.querySelector("video")!.muted);
      expect(await page.evaluate(isPlaying)).toBe(false);
      await page.close();
    });

    test("works in a frame after a click", async () => {
      const { worker, browser, ladder } = stage();
      const page = await browser.newPage({ viewport: { width: 800, height: 500 } });
      await page.setContent(`<input><iframe src="${worker.url}/player/${ladder}" width="640" height="360"></iframe>`);
      await page.focus("input");
      const frame = page.frames().find((one) => one.url().includes("/player/"))!;
      await frame.waitForFunction(() => (document.querySelector("video")?.readyState ?? 0) >= 2);
      expect(await page.evaluate(() => document.activeElement?.localName)).toBe("input"); // the player takes no focus by itself
      await page.locator("iframe").click({ position: { x: 40, y: 150 } }); // the picture
      await frame.waitForFunction(isPlaying);
      await page.keyboard.press("k");
      await frame.waitForFunction(() => document.querySelector("video")!.paused);
      await page.close();
    });

    test("opens the settings, chooses, and returns to the button", async () => {
      const page = await openPlayer(stage(), stage().ladder, SIZE);
      await page.focus("media-settings-menu-button");
      await page.keyboard.press("Enter");
      const focused = () => page.evaluate(focusedWord);
      await expect.poll(focused).toBe("Speed");
      await page.keyboard.press("ArrowDown");
      await expect.poll(focused).toBe("Quality");
      await page.keyboard.press("ArrowUp");
      await page.keyboard.press("Enter");
      await expect.poll(focused).toBe("0.5x");
      await page.keyboard.press("Enter");
      await page.waitForFunction(() => document.querySelector("video")!.playbackRate === 0.5);
      const before = await position(page);
      await page.keyboard.press("Escape");
      await page.waitForFunction(() => document.querySelector("media-settings-menu")!.hasAttribute("hidden"));
      expect(await page.evaluate(() => document.activeElement?.localName)).toBe("media-settings-menu-button");
      expect(await position(page)).toBe(before);
      await page.close();
    });

    test("shows where the focus is", async () => {
      const page = await openPlayer(stage(), stage().ladder, SIZE);
      const unmarked: string[] = [];
      const names = new Set<string>();
      for (let tab = 0; tab < 14; tab += 1) {
        await page.keyboard.press("Tab");
        const { name, mark } = await page.evaluate(() => {
          const element = document.activeElement!;
          const { boxShadow, outlineStyle } = getComputedStyle(element);
          return { name: element.localName, mark: boxShadow !== "none" || outlineStyle !== "none" };
        });
        if (name === "body") break;
        names.add(name);
        if (!mark) unmarked.push(name);
      }
      expect(unmarked).toEqual([]);
      for (const name of ["media-play-button", "media-time-range", "media-mute-button", "media-settings-menu-button"])
        expect([...names]).toContain(name);
      await page.close();
    });
  });
}
