import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { madeFacts } from "../../support/made.ts";
import { seedStandardSource } from "../players/seeded-worker.ts";
import { loopedFilm } from "./looped-film.ts";
import { reportedBy } from "./reported.ts";
import { openPlayer, type PagesStage } from "./stage.ts";

const SIZE = { width: 640, height: 360 };
/** Time of the first damaged picture, in the first segment, which ends after 3 s. */
const DAMAGED_AT_SECONDS = 1;
/** Bytes at the start of a picture that stay: the length and the header of a NAL unit, without which the browser would refuse the segment. */
const HEADER_BYTES = 5;

/** 5 s in two segments. */
const SHORT = "test/fixtures/flower.mp4";
/** A film of which Chromium cannot decode some of the pictures. */
async function damagedFilm(path: string, isDamaged: (seconds: number) => boolean, kept: number): Promise<Uint8Array> {
  const packets = ["-select_streams", "v", "-show_entries", "packet=pts_time,size,pos,flags", "-of", "csv=p=0", path];
  const bytes = new Uint8Array(await readFile(path));
  for (const line of (await madeFacts(packets)).trim().split("\n")) {
    const [seconds, size, place, flags = ""] = line.split(",");
    if (flags.startsWith("K") || !isDamaged(Number(seconds))) continue;
    bytes.fill(0, Number(place) + kept, Number(place) + Number(size));
  }
  return bytes;
}

async function openDamaged(
  stage: PagesStage,
  path: string,
  isDamaged: (seconds: number) => boolean,
  kept = HEADER_BYTES,
): Promise<Page> {
  const film = await damagedFilm(path, isDamaged, kept);
  const { playbackId } = await seedStandardSource(stage.worker, film, "Damaged flowers");
  return await openPlayer(stage, playbackId, SIZE);
}

const untilBuffered = (page: Page) =>
  page.waitForFunction(() => {
    const { buffered, duration } = document.querySelector("video")!;
    return buffered.length > 0 && buffered.end(buffered.length - 1) > duration - 0.2;
  });

export function testDamaged(stage: () => PagesStage): void {
  test("a picture that cannot be decoded is skipped with its segment, also when all is buffered, and playback reaches the end", async () => {
    let damaged = 0;
    const isFirstBehind = (seconds: number) => seconds >= DAMAGED_AT_SECONDS && ++damaged === 1;
    const page = await openDamaged(stage(), SHORT, isFirstBehind);
    const events = reportedBy(page);
    await untilBuffered(page);
    const played = page.evaluate(
      () =>
        new Promise<{ recoveries: number; resumedAt: number }>((done) => {
          const video = document.querySelector("video")!;
          let [recoveries, resumedAt] = [0, 0];
          // Not by the element's errors: one that is replaced before the event is dispatched has none.
          video.addEventListener("loadedmetadata", () => (recoveries += 1));
          video.addEventListener("playing", () => (resumedAt ||= recoveries > 1 ? video.currentTime : 0));
          video.addEventListener("ended", () => done({ recoveries, resumedAt }));
        }),
    );
    await page.keyboard.press("k");
    const { recoveries, resumedAt } = await played;
    expect(recoveries).toBe(2); // at its place, and behind its segment
    expect(resumedAt).toSatisfy((seconds: number) => seconds > 3 && seconds < 4);
    expect(await page.locator(".notice").count()).toBe(0);
    await expect.poll(() => events).toContain("viewCompleted");
    expect(events).not.toContain("error");
    await page.close();
  });

  test("a segment that the browser refuses, which is loaded far ahead, is skipped when playback arrives there, and nothing before it", async () => {
    const page = await openDamaged(stage(), await loopedFilm(), (seconds) => seconds > 9 && seconds < 9.5, 0);
    const events = reportedBy(page);
    const played = page.evaluate(
      () =>
        new Promise<number[][]>((done) => {
          const video = document.querySelector("video")!;
          const spans: number[][] = [];
          video.addEventListener("timeupdate", () => {
            if (video.seeking || video.readyState < HTMLMediaElement.HAVE_CURRENT_DATA) return;
            const last = spans.at(-1);
            if (last !== undefined && Math.abs(video.currentTime - last[1]!) < 1) last[1] = video.currentTime;
            else spans.push([video.currentTime, video.currentTime]);
          });
          video.addEventListener("ended", () => done(spans));
        }),
    );
    await page.keyboard.press("k");
    const spans = await played;
    expect(spans).toHaveLength(2);
    const [[start, left], [resumed, end]] = spans as [[number, number], [number, number]];
    expect([start < 1, left > 7.5 && left < 12, resumed > 12 && resumed < 14, end > 14]).toEqual([
      true,
      true,
      true,
      true,
    ]);
    await expect.poll(() => events).toContain("viewCompleted");
    expect(events).not.toContain("error");
    await page.close();
  });

  test("media of which no later segment can be decoded ends with a notice, and the view is reported as an error", async () => {
    const page = await openDamaged(stage(), await loopedFilm(), (seconds) => seconds >= DAMAGED_AT_SECONDS);
    const events = reportedBy(page);
    await page.keyboard.press("k");
    await page.waitForSelector(".notice");
    expect(await page.textContent("h1")).toBe("Playback stopped");
    await expect.poll(() => events.at(-1)).toBe("error");
    await page.close();
  });
}
