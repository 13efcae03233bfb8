/** A source with the ladder's segment grid is its own top rung: its picture is not encoded again, and players switch to it and back. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { madeFile } from "../../support/made.ts";
import { isReady } from "../../support/platform.ts";
import { readPlaylists } from "../../support/playlists.ts";
import { playThrough } from "../players/play-through.ts";
import { type Stage, startStage } from "../players/stage.ts";

let stage: Stage;

beforeAll(async () => {
  stage = await startStage();
  const path = await madeFile(
    [
      "-stream_loop",
      "2",
      "-i",
      "test/fixtures/flower.mp4",
      "-t",
      "12",
      "-vf",
      "scale=640:360",
      "-c:v",
      "libx264",
      "-preset",
      "veryfast",
      "-g",
      "60",
      "-keyint_min",
      "60",
      "-sc_threshold",
      "0",
      "-b:v",
      "600k",
      "-maxrate",
      "700k",
      "-bufsize",
      "1M",
      "-pix_fmt",
      "yuv420p",
      "-c:a",
      "aac",
      "-movflags",
      "+faststart",
    ],
    "mp4",
  );
  await stage.serve("grid.mp4", path);
});

afterAll(() => stage?.close());

test("a source on the ladder's grid stays listed as the top rung, and plays in real time with the rungs below it", async () => {
  const { assetId, playbackId } = await stage.platform.create(stage.server.url("/grid.mp4"));
  const media = await stage.platform.until(assetId, isReady);
  expect(media.duration).toBe("00:00:12");
  const manifest = `${stage.platform.baseUrl}/${playbackId}.m3u8`;
  const playlists = await readPlaylists(manifest);
  expect(playlists.map(({ name }) => name).sort()).toEqual(["a1", "source-v", "v270"]);
  const pictures = playlists.filter(({ kind }) => kind === "video");
  const cuts = pictures.map(({ durationsS }) => durationsS.slice(0, -1).map((seconds) => seconds.toFixed(3)));
  expect(cuts[0]).toEqual(cuts[1]);

  const played = await playThrough(stage.browser, stage.page.url, "hls.js", manifest, { seed: 3 });
  expect(played).toMatchObject({ errors: [], stalls: [], badAnswers: [] });
  expect(Math.abs(played.endedAtSeconds - played.durationSeconds)).toBeLessThan(0.1);
  expect(played.rungs.map(({ heightPx }) => heightPx).toSorted((a, b) => a - b)).toEqual([270, 360]);
});
