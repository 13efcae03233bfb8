/** Subtitle tracks: how soon a long one is shown, and what thirty languages cost. */
import type { Page } from "playwright-core";
import { launchChromium } from "../test/e2e/players/chromium.ts";
import { servePlayerPage } from "../test/e2e/players/page-server.ts";
import { isReady, startTestPlatform, type TestPlatform } from "../test/support/platform.ts";
import { bufferContent, fileContent } from "../test/support/source-content.ts";
import { startSourceServer } from "../test/support/source-server.ts";
import { startBenchHost } from "./support/bench-host.ts";
import { comparedFigure } from "./support/compared-figure.ts";
import { type Figure, median, milliseconds } from "./support/figures.ts";
import type { Load } from "./support/load.ts";

const CUES = 40_000;
const HOURS = 12;
const RUNS = 3;
const LANGUAGES = 30;
const FIRST = "Cue 0:";

/** Spread over the hours, so that the first one is on screen at the start. */
function longSubtitles(): Buffer {
  const stepMs = (HOURS * 3600_000) / CUES;
  const at = (ms: number) => new Date(ms).toISOString().slice(11, 23).replace(".", ",");
  const cues = Array.from({ length: CUES }, (_, n) => {
    const startMs = Math.round(n * stepMs);
    return `${n + 1}\n${at(startMs)} --> ${at(startMs + 1000)}\nCue ${n}: what somebody says\nand <i>somebody</i> answers\n`;
  });
  return Buffer.from(cues.join("\n"));
}

/** From the request that adds the track to its first cue on the screen of a player that loads the manifest once it is offered. */
async function addedToShown(platform: TestPlatform, mediaId: string, manifest: string, url: string, page: Page) {
  const startedAt = performance.now();
  const tracks = { url, type: "subtitle", languageCode: "en", languageName: "English" };
  const { body } = await platform.api<{ id: string }>("POST", `/v1/on-demand/${mediaId}/tracks`, { tracks });
  while (!(await (await fetch(manifest)).text()).includes(body.data.id)) {
    if (performance.now() - startedAt > 60_000) throw new Error("the track was not offered within a minute");
    await new Promise((done) => setTimeout(done, 20));
  }
  const offeredMs = performance.now() - startedAt;
  await page.evaluate(
    async ([address, text]) => {
      const { tracksHarness: harness } = window as unknown as {
        tracksHarness: {
          load: (player: string, url: string) => Promise<void>;
          show: (language: string, text: string) => Promise<number>;
        };
      };
      await harness.load("hls.js", address);
      await harness.show("en", text);
    },
    [manifest, FIRST] as const,
  );
  const shownMs = performance.now() - startedAt;
  await platform.api("DELETE", `/v1/on-demand/${mediaId}/tracks/${body.data.id}`);
  return { offeredMs, shownMs };
}

async function longTrack(): Promise<Figure> {
  const server = await startSourceServer();
  const [platform, player, browser] = await Promise.all([
    startTestPlatform(),
    servePlayerPage("tracks-page.ts"),
    launchChromium(),
  ]);
  try {
    server.add("/film.mp4", { kind: "content", content: await fileContent("test/fixtures/flower.mp4") });
    server.add("/long.srt", { kind: "content", content: bufferContent(longSubtitles()) });
    const { assetId, playbackId } = await platform.create(server.url("/film.mp4"));
    await platform.until(assetId, isReady);
    const manifest = `${platform.baseUrl}/${playbackId}.m3u8`;
    const raw: { offeredMs: number; shownMs: number }[] = [];
    for (let run = 0; run < RUNS; run += 1) {
      const page = await browser.newPage();
      await page.goto(player.url);
      await page.waitForFunction(() => "tracksHarness" in window);
      raw.push(await addedToShown(platform, assetId, manifest, server.url("/long.srt"), page));
      await page.close();
    }
    const shownMs = median(raw.map((one) => one.shownMs));
    return {
      name: `subtitle track of ${HOURS} h (${CUES.toLocaleString("en")} cues), added to first cue shown`,
      value: milliseconds(shownMs),
      yardstick: `offered after ${milliseconds(median(raw.map((one) => one.offeredMs)))}`,
      aim: "≤ 3 s",
      isMet: shownMs <= 3000,
      raw,
    };
  } finally {
    await Promise.all([browser.close(), player.close(), platform.stop()]);
    await Promise.all([platform.removeHome(), server.stop()]);
  }
}

async function manyLanguages(): Promise<Figure> {
  const host = await startBenchHost();
  try {
    const seed = async (languages: number) => {
      const answer = await fetch(`${host.baseUrl}/bare/seed?languages=${languages}`, { method: "POST" });
      return (await answer.json()) as { playbackId: string };
    };
    const get = ({ playbackId }: { playbackId: string }): Load => ({
      method: "GET",
      path: `/${playbackId}.m3u8`,
      status: 200,
    });
    const [many, none] = [await seed(LANGUAGES), await seed(0)];
    const text = await (await fetch(`${host.baseUrl}/${many.playbackId}.m3u8`)).text();
    const groups = text.match(/TYPE=SUBTITLES/g)?.length;
    if (groups !== LANGUAGES) throw new Error(`the playlist has ${groups} subtitle tracks`);
    return await comparedFigure(host.baseUrl, {
      name: `multivariant playlist with ${LANGUAGES} subtitle languages`,
      product: get(many),
      yardstick: get(none),
      against: "one without",
      aim: 0.7,
    });
  } finally {
    await host.stop();
  }
}

export const run = async (): Promise<Figure[]> => [await longTrack(), await manyLanguages()];
