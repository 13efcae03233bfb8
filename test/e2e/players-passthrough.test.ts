import { readFile } from "node:fs/promises";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { testBrowser } from "./players/chromium.ts";
import { servePlayerPage } from "./players/page-server.ts";
import { playThrough } from "./players/play-through.ts";
import { type PlaybackWorker, seedStandardSource, startPlaybackWorker } from "./players/seeded-worker.ts";

let worker: PlaybackWorker;
let page: Awaited<ReturnType<typeof servePlayerPage>>;
let browser: Browser;

beforeAll(async () => {
  [worker, page, browser] = await Promise.all([startPlaybackWorker(), servePlayerPage(), testBrowser()]);
});

afterAll(async () => {
  await Promise.all([page?.close(), worker?.close()]);
});

const clip = (name: string) => readFile(new URL(`../fixtures/${name}.mp4`, import.meta.url));

describe.each(["flower", "friday"])("%s.mp4, cut out of its source without encoding", (name) => {
  let address: string;

  beforeAll(async () => {
    const { playbackId } = await seedStandardSource(worker, await clip(name), name);
    address = `${worker.url}/${playbackId}`;
  });

  test.concurrent.each([
    ["hls.js", "m3u8"],
    ["dash.js", "mpd"],
    ["shaka", "m3u8"],
    ["shaka", "mpd"],
  ] as const)(
    "%s plays its .%s in real time from start to end and from five places, without an error or a stall",
    async (player, extension) => {
      const played = await playThrough(browser, page.url, player, `${address}.${extension}`, { seed: 7 });

      expect(played).toMatchObject({ errors: [], stalls: [], badAnswers: [] });
      expect(Math.abs(played.endedAtSeconds - played.durationSeconds)).toBeLessThan(0.1);
      for (const seek of played.seeks) expect(Math.abs(seek.shownSeconds - seek.toSeconds)).toBeLessThan(0.15);
      expect(played.rungs).toHaveLength(1);
    },
  );
});
