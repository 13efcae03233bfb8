/** The demo's clip, and the film clip as WebM: from POST to the end of playback in three real players, and decoded frame by frame. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { madeFile } from "../../support/made.ts";
import { isReady } from "../../support/platform.ts";
import { getBytes, type PlaylistView, readPlaylists } from "../../support/playlists.ts";
import { decodePictures, decodeSound } from "../../support/rendition.ts";
import { testReference } from "../pages/reference.ts";
import { playThrough } from "../players/play-through.ts";
import { type Stage, startStage } from "../players/stage.ts";

const SOURCES = [
  { name: "flower.mp4", rungs: 2, frames: 150, frameSeconds: 1001 / 30_000 },
  { name: "loop.webm", rungs: 2, frames: 339, frameSeconds: 1001 / 30_000 },
];

let stage: Stage;
const addresses = new Map<string, string>();

beforeAll(async () => {
  stage = await startStage();
  // 12 s as VP9 with Opus: not a standard source, two chunks, the last segment shorter than the others.
  const webm = await madeFile(
    [
      "-stream_loop",
      "2",
      "-i",
      "test/fixtures/flower.mp4",
      "-t",
      "11.3",
      "-vf",
      "scale=640:360",
      "-c:v",
      "libvpx-vp9",
      "-deadline",
      "realtime",
      "-cpu-used",
      "8",
      "-b:v",
      "1M",
      "-c:a",
      "libopus",
    ],
    "webm",
  );
  await stage.serve("flower.mp4", "test/fixtures/flower.mp4");
  await stage.serve("loop.webm", webm);
  await Promise.all(
    SOURCES.map(async ({ name }) => {
      const { assetId, playbackId } = await stage.platform.create(stage.server.url(`/${name}`));
      await stage.platform.until(assetId, isReady);
      addresses.set(name, `${stage.platform.baseUrl}/${playbackId}`);
    }),
  );
}, 180_000);

afterAll(() => stage?.close());

const sum = (values: number[]) => values.reduce((total, value) => total + value, 0);
const whole = async ({ initUrl, segmentUrls }: PlaylistView) =>
  Buffer.concat([await getBytes(initUrl), ...(await Promise.all(segmentUrls.map(getBytes)))]);

describe.each(SOURCES)("$name, encoded into a ladder,", ({ name, rungs, frames, frameSeconds }) => {
  let playlists: PlaylistView[];

  beforeAll(async () => {
    playlists = await readPlaylists(`${addresses.get(name)!}.m3u8`);
  });

  test("has every rung and one sound rendition, complete, of equal duration", () => {
    expect(playlists.filter(({ kind }) => kind === "video")).toHaveLength(rungs);
    expect(playlists.filter(({ kind }) => kind === "audio")).toHaveLength(1);
    for (const playlist of playlists) {
      expect(playlist.isComplete).toBe(true);
      expect(Math.abs(sum(playlist.durationsS) - frames * frameSeconds)).toBeLessThan(0.05);
    }
  });

  test("decodes to the planned frames, with strictly increasing times and no gap between chunks", async () => {
    for (const playlist of playlists.filter(({ kind }) => kind === "video")) {
      const pictures = await decodePictures(await whole(playlist));
      expect(pictures).toHaveLength(frames);
      expect(pictures[0]?.timeSeconds).toBe(0);
      for (const [position, picture] of pictures.entries()) {
        if (position === 0) continue;
        const step = picture.timeSeconds - pictures[position - 1]!.timeSeconds;
        expect(step).toBeGreaterThan(0);
        expect(step).toBeLessThan(frameSeconds * 1.01);
      }
    }
  });

  test("has sound from the start and without a gap", async () => {
    for (const playlist of playlists.filter(({ kind }) => kind === "audio")) {
      const sound = await decodeSound(await whole(playlist));
      expect(sound.startSeconds).toBeLessThan(0.025);
      expect(sound.largestHoleSeconds).toBeLessThan(0.0005);
      expect(sound.channels).toBe(2);
    }
  });
});

// Side by side: a player mostly waits for the time to pass.
describe.concurrent.each(SOURCES)("$name, encoded into a ladder,", ({ name, rungs, frames, frameSeconds }) => {
  test.each([
    ["hls.js", "m3u8"],
    ["dash.js", "mpd"],
    ["shaka", "m3u8"],
    ["shaka", "mpd"],
  ] as const)(
    "plays in real time in %s as .%s to its end, from five places and on every rung, without an error or a stall",
    async (player, extension) => {
      const manifest = `${addresses.get(name)!}.${extension}`;
      const played = await playThrough(stage.browser, stage.page.url, player, manifest, { seed: 11 });
      expect(played).toMatchObject({ errors: [], stalls: [], badAnswers: [] });
      expect(Math.abs(played.endedAtSeconds - played.durationSeconds)).toBeLessThan(0.1);
      expect(Math.abs(played.durationSeconds - frames * frameSeconds)).toBeLessThan(0.1);
      for (const seek of played.seeks) expect(Math.abs(seek.shownSeconds - seek.toSeconds)).toBeLessThan(0.15);
      const heights = new Set(played.rungs.map(({ heightPx }) => heightPx));
      expect([heights.size, played.rungs]).toEqual([rungs, played.rungs]);
    },
  );
});

// Five times a second, dash.js compares the time with the end that the MPD announces. When it is reached, dash.js pauses and seeks to it,
// minus half a second (`seekDurationBackoff`), so that playback would never end.
test.concurrent.each(SOURCES)(
  "$name, encoded into a ladder, plays in dash.js to its end, however often dash.js checks for the announced end",
  async ({ name, frames, frameSeconds }) => {
    const options = { hasFastIntervals: true, stepMs: 5000 };
    const played = await playThrough(stage.browser, stage.page.url, "dash.js", `${addresses.get(name)!}.mpd`, options);
    expect(Math.abs(played.endedAtSeconds - frames * frameSeconds)).toBeLessThan(0.1);
  },
);

testReference(() => stage); // the platform runs already
