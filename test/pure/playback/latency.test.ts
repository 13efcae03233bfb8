import { expect, test } from "vitest";
import { latencySeconds } from "../../../player/latency.ts";

const NOW_MS = Date.UTC(2026, 4, 20);
const ago = (seconds: number) => new Date(NOW_MS - seconds * 1000);

test.each([
  ["the capture time is known", ago(2.5), 1.4, 2.5],
  ["the capture time is later than the media behind it allows", ago(0.3), 1.4, 1.4],
  ["the playlist has no time", null, 1.4, null],
  ["the viewer's clock is behind", ago(-1), 1.4, null],
  ["the viewer's clock is wrong by hours", ago(7200), 1.4, null],
])("the latency that the player shows when %s", (_, playing, behindEdgeSeconds, seconds) => {
  expect(latencySeconds(playing, NOW_MS, behindEdgeSeconds)).toBe(seconds);
});
