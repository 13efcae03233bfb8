/** Clips in players: of one span, and of a media whose source is its top rung, with the source's own pictures between encoded edges. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { madeFile } from "../../support/made.ts";
import { isReady } from "../../support/platform.ts";
import { playThrough } from "../players/play-through.ts";
import { type Stage, startStage } from "../players/stage.ts";

let stage: Stage;
/** Addresses of the clips, without an extension. */
let whole: string;
let parted: string;

/** @param words key frames @returns a clip of 12.8 s of a film of 20 s */
async function clipOf(name: string, words: string): Promise<string> {
  const encoding =
    "-vf scale=640:360 -c:v libx264 -preset veryfast -sc_threshold 0 -b:v 600k -maxrate 700k -bufsize 1M";
  const path = await madeFile(
    `-stream_loop 4 -i test/fixtures/flower.mp4 -t 20 ${encoding} ${words} -pix_fmt yuv420p -c:a aac -movflags +faststart`.split(
      " ",
    ),
    "mp4",
  );
  await stage.serve(name, path);
  const film = await stage.platform.create(stage.server.url(`/${name}`));
  await stage.platform.until(film.assetId, isReady);
  const input = { type: "video", url: `fp_mediaId://${film.assetId}`, startTime: 2.5, endTime: 15.3 };
  const clip = await stage.platform.create("", { inputs: [input] });
  await stage.platform.until(clip.assetId, isReady);
  return `${stage.platform.baseUrl}/${clip.playbackId}`;
}

beforeAll(async () => {
  stage = await startStage();
  whole = await clipOf("off-grid.mp4", "-g 50");
  parted = await clipOf("on-grid.mp4", "-g 60 -keyint_min 60");
});

afterAll(() => stage?.close());

// dash.js 5.2.1 loses seeks into another Period (`tracks-page.ts`), so it plays the clip of a single one.
test.each([
  ["hls.js", "m3u8", () => parted],
  ["shaka", "mpd", () => parted],
  ["dash.js", "mpd", () => whole],
] as const)("%s plays a clip to its end and from five places, in every rung", async (player, extension, address) => {
  const manifest = `${address()}.${extension}`;
  const played = await playThrough(stage.browser, stage.page.url, player, manifest, { seed: 5 });
  expect(played).toMatchObject({ errors: [], stalls: [], badAnswers: [] });
  expect(Math.abs(played.durationSeconds - 12.8)).toBeLessThan(0.1);
  expect(Math.abs(played.endedAtSeconds - played.durationSeconds)).toBeLessThan(0.1);
  for (const seek of played.seeks) expect(Math.abs(seek.shownSeconds - seek.toSeconds)).toBeLessThan(0.15);
  expect(played.rungs.map(({ heightPx }) => heightPx).toSorted((a, b) => a - b)).toEqual([270, 360]);
});
