import type { Page } from "playwright-core";
import { describe, expect, test, vi } from "vitest";
import { openPlayer, type PagesStage, SIZES } from "./stage.ts";

/** Away from both ends, so that a seek would show. */
const POSITION_SECONDS = 2;

interface Choice {
  /** The item of the settings. */
  setting: string;
  /** The element that lists its choices. */
  menu: string;
  /** What the player plays after each item, from the first to the last. */
  outcomes: unknown[];
  read: () => unknown;
}

const CHOICES: Choice[] = [
  {
    setting: "Speed",
    menu: "media-playback-rate-menu",
    outcomes: [0.5, 0.75, 1, 1.25, 1.5, 2],
    read: () => document.querySelector("video")!.playbackRate,
  },
  {
    setting: "Quality",
    menu: "media-rendition-menu",
    outcomes: [540, 270, "automatic"],
    read: () => {
      const { videoRenditions: list } = document.querySelector("video") as unknown as {
        videoRenditions: { selectedIndex: number; [index: number]: { height: number } };
      };
      return list.selectedIndex < 0 ? "automatic" : list[list.selectedIndex]!.height;
    },
  },
  {
    setting: "Sound",
    menu: "media-audio-track-menu",
    outcomes: ["en", "fr"],
    read: () => {
      const { audioTracks } = document.querySelector("video") as unknown as {
        audioTracks: Iterable<{ enabled: boolean; language: string }>;
      };
      return [...audioTracks].find(({ enabled }) => enabled)?.language;
    },
  },
  {
    setting: "Captions",
    menu: "media-captions-menu",
    outcomes: ["off", "en"],
    read: () =>
      [...document.querySelector("video")!.textTracks].find(({ mode }) => mode === "showing")?.language ?? "off",
  },
];

/** Adds captions, and counts seeks from here on. */
async function prepare(page: Page): Promise<void> {
  await page.evaluate(async (seconds) => {
    const video = document.querySelector("video")!;
    video.addTextTrack("captions", "English", "en");
    const sought = new Promise((done) => video.addEventListener("seeked", done, { once: true }));
    video.currentTime = seconds;
    await sought;
    Object.assign(window, { seeks: 0 });
    video.addEventListener("seeking", () => Object.assign(window, { seeks: Reflect.get(window, "seeks") + 1 }));
  }, POSITION_SECONDS);
}

const isOpen = (page: Page) =>
  page.evaluate(() => !document.querySelector("media-settings-menu")!.hasAttribute("hidden"));

/** The settings stay open after a choice, unless it was made before they had moved into place: then they close late, and a click can open them again. */
async function close(page: Page): Promise<void> {
  const isClosed = async () => {
    if (!(await isOpen(page))) return true;
    await page.locator("media-settings-menu-button").click();
    return false;
  };
  await vi.waitUntil(isClosed, { timeout: 10_000, interval: 100 });
}

/** From the last item to the first, and the last again, so that every item is clicked while another one is chosen. */
const order = (items: unknown[]) => [...items.keys()].toReversed().concat(items.length - 1);

async function clickThrough(page: Page, { setting, menu, outcomes, read }: Choice): Promise<unknown[]> {
  const button = page.locator("media-settings-menu-button");
  const settings = page.locator("media-settings-menu");
  const seen: unknown[] = [];
  for (const index of order(outcomes)) {
    await button.click();
    await settings.locator("media-settings-menu-item", { hasText: setting }).first().click();
    await page.locator(`${menu} media-chrome-menu-item`).nth(index).click();
    await vi.waitUntil(async () => (await page.evaluate(read)) === outcomes[index], { timeout: 3000 }).catch(() => {});
    seen.push(await page.evaluate(read));
    await close(page);
  }
  return seen;
}

async function expectEveryItemToWork(page: Page): Promise<void> {
  page.setDefaultTimeout(10_000); // a click waits while another element covers its target
  await prepare(page);
  for (const choice of CHOICES) {
    const wanted = order(choice.outcomes).map((index) => choice.outcomes[index]);
    expect({ [choice.setting]: await clickThrough(page, choice) }).toEqual({ [choice.setting]: wanted });
  }
  const { seeks, position } = await page.evaluate(() => ({
    seeks: Reflect.get(window, "seeks") as number,
    position: document.querySelector("video")!.currentTime,
  }));
  expect({ seeks, position }).toEqual({ seeks: 0, position: expect.closeTo(POSITION_SECONDS, 1) as number });
}

export function testMenus(stage: () => PagesStage): void {
  // Side by side, because a click mostly waits for the next frame.
  describe.concurrent("the settings", () => {
    test.each(SIZES.slice(0, 1))(
      "at $width×$height: every item of every menu takes effect, and seeks nothing",
      everyItemWorks,
    );
    test.each(SIZES.slice(1))(
      "at $width×$height: every item of every menu takes effect, and seeks nothing",
      { tags: ["full"] },
      everyItemWorks,
    );

    async function everyItemWorks(size: (typeof SIZES)[number]): Promise<void> {
      const page = await openPlayer(stage(), stage().ladder, size);
      await expectEveryItemToWork(page);
      await page.close();
    }
  });
}
