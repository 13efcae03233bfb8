import { expect, test } from "vitest";
import { seedAsset } from "../players/seeded-worker.ts";
import type { PagesStage } from "./stage.ts";

/** The longest of the words for a failed fetch. */
const LONGEST = "source_unresolvable";

export function testNotices(stage: () => PagesStage): void {
  test("every notice can be read in a frame of 200×120 without scrolling, also without scripts", async () => {
    const { worker, browser } = stage();
    const [early, retried, failed] = [
      await seedAsset(worker, "Early"),
      await seedAsset(worker, "Retried"),
      await seedAsset(worker, "Failed"),
    ];
    const retry = { reason: LONGEST, attempt: 1, nextAttemptAt: "2026-11-22T12:00:00.000Z" };
    const progress = JSON.stringify({ percent: 0, stage: "downloading", renditions: [], retry });
    await worker.db.batch([
      worker.db.prepare("update assets set progress = ? where id = ?").bind(progress, retried.assetId),
      worker.db
        .prepare("update assets set status = 'errored', error_code = ? where id = ?")
        .bind(LONGEST, failed.assetId),
    ]);
    const context = await browser.newContext({ viewport: { width: 400, height: 300 }, javaScriptEnabled: false });
    const page = await context.newPage();
    for (const path of [early.playbackId, retried.playbackId, failed.playbackId, "nonsense"]) {
      await page.setContent(
        `<iframe src="${worker.url}/player/${path}" width="200" height="120" style="border:0"></iframe>`,
      );
      const frame = page.frameLocator("iframe");
      await frame.locator("h1").waitFor();
      const sizes = await frame
        .locator("html")
        .evaluate(({ scrollWidth, scrollHeight }) => [scrollWidth, scrollHeight]);
      expect({ [path]: sizes }).toEqual({ [path]: [200, 120] });
      const fontPx = await frame
        .locator("p")
        .first()
        .evaluate((text) => Number.parseFloat(getComputedStyle(text).fontSize));
      expect(fontPx).toBeGreaterThanOrEqual(12);
    }
    await context.close();
  });
}
