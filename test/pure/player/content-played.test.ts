import { expect, test } from "vitest";
import { ContentPlayed } from "../../../player/content-played.ts";

const video = { width: 640, height: 360 };
const half = { width: 320, height: 180 };
const double = { width: 1280, height: 1000 };

test("content counts while the playhead advances, not where it jumps", () => {
  const content = new ContentPlayed();
  for (const playheadSeconds of [0, 0.25, 0.5]) content.advance({ playheadSeconds, player: video, video });
  content.jump();
  for (const playheadSeconds of [60, 60.25]) content.advance({ playheadSeconds, player: video, video });
  content.advance({ playheadSeconds: 90, player: video, video }); // without a seek, as after a stall of the page
  expect([content.playedMs, content.furthestMs]).toEqual([750, 90_000]);
});

test("scaling is the smaller ratio of both directions, times the content played", () => {
  const content = new ContentPlayed();
  for (const playheadSeconds of [0, 1]) content.advance({ playheadSeconds, player: half, video });
  content.advance({ playheadSeconds: 2, player: double, video });
  expect(content).toMatchObject({ downscaling: 500, mostDownscaling: 0.5, upscaling: 1000, mostUpscaling: 1 });
  content.advance({ playheadSeconds: 3, player: double, video: { width: 0, height: 0 } });
  expect([content.playedMs, content.upscaling]).toEqual([3000, 1000]);
});
