import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { contrastOf, whiten } from "./contrast.ts";
import { openPlayer, type PagesStage, type Size, SIZES } from "./stage.ts";

const BUTTONS =
  "media-play-button:not(.big), media-mute-button, media-settings-menu-button, media-fullscreen-button, media-captions-button, media-time-range";

const BUTTONS_WITHOUT_CAPTIONS = [
  "media-fullscreen-button",
  "media-mute-button",
  "media-play-button",
  "media-settings-menu-button",
  "media-time-range",
];

/** The least size of a target, WCAG 2.2, 2.5.8. */
const LEAST_TARGET_PX = 24;

interface Box {
  name: string;
  left: number;
  top: number;
  right: number;
  bottom: number;
}

const boxesOf = (page: Page, selector: string) =>
  page.evaluate(
    (query) =>
      [...document.querySelectorAll(query)]
        .map((element) => ({ name: element.localName, rect: element.getBoundingClientRect() }))
        .filter(({ rect }) => rect.width > 0)
        .map(({ name, rect }): Box => ({
          name,
          left: rect.left,
          top: rect.top,
          right: rect.right,
          bottom: rect.bottom,
        })),
    selector,
  );

const widthOf = ({ left, right }: Box) => right - left;
const heightOf = ({ top, bottom }: Box) => bottom - top;
const isWithin = ({ left, top, right, bottom }: Box, { width, height }: Size) =>
  left >= 0 && top >= 0 && right <= width + 0.5 && bottom <= height + 0.5;
const overlap = (a: Box, b: Box) =>
  Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 &&
  Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1;

/** Where the browser has painted cues, which are in a shadow tree of its own. */
async function paintedCaptions(page: Page): Promise<Box[]> {
  const session = await page.context().newCDPSession(page);
  const { root } = await session.send("DOM.getDocument", { depth: -1, pierce: true });
  const boxes = cuesOf(root).map(async ({ nodeId }) => {
    const { model } = await session.send("DOM.getBoxModel", { nodeId });
    const [left = 0, top = 0, , , right = 0, bottom = 0] = model.content;
    return { name: "cue", left, top, right, bottom };
  });
  const painted = await Promise.all(boxes);
  await session.detach();
  return painted;
}

interface DomNode {
  nodeId: number;
  attributes?: string[];
  children?: DomNode[];
  shadowRoots?: DomNode[];
}

const cuesOf = (node: DomNode): DomNode[] => [
  ...(node.attributes?.includes("-webkit-media-text-track-display") === true ? [node] : []),
  ...[...(node.children ?? []), ...(node.shadowRoots ?? [])].flatMap(cuesOf),
];

export function testLayout(stage: () => PagesStage): void {
  describe.each(SIZES)("the player at $width×$height", (size) => {
    let page: Page;
    beforeAll(async () => {
      page = await openPlayer(stage(), stage().ladder, size);
    });
    afterAll(() => page?.close());

    test("its controls fit, do not overlap, and are large enough to hit", async () => {
      const boxes = await boxesOf(page, BUTTONS);
      expect(boxes.map(({ name }) => name).sort()).toEqual(BUTTONS_WITHOUT_CAPTIONS);
      expect(boxes.filter((box) => !isWithin(box, size))).toEqual([]);
      expect(boxes.flatMap((a, n) => boxes.slice(n + 1).filter((b) => overlap(a, b)))).toEqual([]);
      const buttons = boxes.filter(({ name }) => name !== "media-time-range");
      expect(buttons.filter((box) => Math.min(widthOf(box), heightOf(box)) < LEAST_TARGET_PX)).toEqual([]);
    });

    test("the play button over the picture is a circle in its centre", async () => {
      const [box] = await boxesOf(page, ".big");
      expect(widthOf(box!)).toBeCloseTo(heightOf(box!), 1);
      expect((box!.left + box!.right) / 2).toBeCloseTo(size.width / 2, 0);
      expect(await page.evaluate(() => getComputedStyle(document.querySelector(".big")!).borderRadius)).toBe("50%");
      expect((await boxesOf(page, BUTTONS)).filter((control) => overlap(box!, control))).toEqual([]);
    });

    test("a button for captions appears with captions, and the controls still fit", async () => {
      expect(await page.locator("media-captions-button").isVisible()).toBe(false);
      await page.evaluate(() => document.querySelector("video")!.addTextTrack("captions", "English", "en"));
      await page.locator("media-captions-button").waitFor({ state: "visible", timeout: 5000 });
      expect((await boxesOf(page, BUTTONS)).filter((box) => !isWithin(box, size))).toEqual([]);
    });

    test.each([
      ["at the bottom", "auto"],
      ["at the top", 0],
    ] as const)("captions %s lie beside the controls and the title while these are shown", async (_, line) => {
      await page.evaluate(async (place) => {
        const video = document.querySelector("video")!;
        video.muted = true;
        await video.play(); // over the poster, no captions are shown
        video.pause();
        const track = video.addTextTrack("captions", "English", "en");
        for (const other of video.textTracks) other.mode = "disabled";
        const cue = new VTTCue(0, 1000, "First line\nSecond line");
        cue.line = place;
        track.addCue(cue);
        track.mode = "showing";
      }, line);
      const controls = await boxesOf(page, "media-control-bar, .title");
      await expect
        .poll(async () => {
          const painted = await paintedCaptions(page);
          const hidden = painted.filter((box) => controls.some((one) => overlap(one, box)) || !isWithin(box, size));
          return { painted: painted.length, hidden };
        })
        .toEqual({ painted: 1, hidden: [] });
    });
  });

  test("the title is readable on a white picture", async () => {
    const page = await openPlayer(stage(), stage().ladder, SIZES[1]!);
    await whiten(page);
    expect(await contrastOf(page, page.locator(".title"))).toBeGreaterThan(4.5);
    await page.close();
  });
}
