import type { Locator, Page } from "playwright-core";

const HIDDEN = ["color", "--media-live-button-indicator-color", "--media-live-button-icon-color"];

/** Contrast (WCAG 2.2, 1.4.3) of an element's white text with the lightest pixel of what is behind the text on the screen. */
export async function contrastOf(page: Page, element: Locator): Promise<number> {
  await element.evaluate((shown, names) => {
    const { color } = getComputedStyle(shown);
    if (color !== "rgb(255, 255, 255)") throw new Error(`the text is ${color}, not white`);
    for (const name of names) (shown as HTMLElement).style.setProperty(name, "transparent");
  }, HIDDEN);
  const box = await textBoxOf(element);
  const picture = (await page.screenshot({ type: "png", clip: box })).toString("base64");
  await element.evaluate((shown, names) => {
    for (const name of names) (shown as HTMLElement).style.removeProperty(name);
  }, HIDDEN);
  return 1.05 / ((await page.evaluate(lightest, picture)) + 0.05);
}

/** Where the element's content is. */
const textBoxOf = (element: Locator) =>
  element.evaluate((shown) => {
    const style = getComputedStyle(shown);
    const padding = (side: string) => Number.parseFloat(style.getPropertyValue(`padding-${side}`));
    const { x, y, width, height } = shown.getBoundingClientRect();
    return {
      x: x + padding("left"),
      y: y + padding("top"),
      width: width - padding("left") - padding("right"),
      height: height - padding("top") - padding("bottom"),
    };
  });

/** The relative luminance of the lightest pixel. Runs in the page. */
async function lightest(base64: string): Promise<number> {
  const bytes = Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
  const bitmap = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
  const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext("2d")!;
  context.drawImage(bitmap, 0, 0);
  const { data } = context.getImageData(0, 0, bitmap.width, bitmap.height);
  const linear = (value: number) => (value <= 10 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4);
  let most = 0;
  for (let at = 0; at < data.length; at += 4)
    most = Math.max(most, 0.2126 * linear(data[at]!) + 0.7152 * linear(data[at + 1]!) + 0.0722 * linear(data[at + 2]!));
  return most;
}

/** A white picture, in place of the media's. */
export const whiten = (page: Page) =>
  page.evaluate(() => (document.querySelector("video")!.style.filter = "brightness(0) invert(1)"));
