import { expect, test } from "vitest";
import { edgeLatencyMs } from "../../../scripts/demo/edge-latency.ts";

const START = Date.parse("2026-11-22T12:00:00.000Z");

/** Two whole segments of 2 s and two parts of half a second: 5 s of media. @param dateOf the playlist's date of a media time */
const playlist = (dateOf: (seconds: number) => number, sequence = 1) => `#EXTM3U
#EXT-X-MEDIA-SEQUENCE:${sequence}
#EXT-X-PROGRAM-DATE-TIME:${new Date(dateOf(0)).toISOString()}
#EXT-X-PART:DURATION=1.00000,URI="v720/0.0.m4s"
#EXT-X-PART:DURATION=1.00000,URI="v720/0.1.m4s"
#EXTINF:2.00000,
v720/0.m4s
#EXT-X-PROGRAM-DATE-TIME:${new Date(dateOf(2)).toISOString()}
#EXT-X-PART:DURATION=1.00000,URI="v720/1.0.m4s"
#EXT-X-PART:DURATION=1.00000,URI="v720/1.1.m4s"
#EXTINF:2.00000,
v720/1.m4s
#EXT-X-PROGRAM-DATE-TIME:${new Date(dateOf(4)).toISOString()}
#EXT-X-PART:DURATION=0.50000,URI="v720/2.0.m4s",INDEPENDENT=YES
#EXT-X-PART:DURATION=0.50000,URI="v720/2.1.m4s"
#EXT-X-PRELOAD-HINT:TYPE=PART,URI="v720/2.2.m4s"
`;
const exact = (seconds: number) => START + 1000 * seconds;

test("the latency of the edge is the time since the capture of the newest listed part's end", () => {
  expect(edgeLatencyMs(playlist(exact), START, exact(6.2))).toBe(1200);
});

test("dates that are ahead of the capture do not make it negative", () => {
  const late = (seconds: number) => exact(seconds) + 2500; // the first estimate of a busy machine
  expect(edgeLatencyMs(playlist(late), START, exact(6.2))).toBe(1200);
});

test("before the first whole segment only the parts count", () => {
  const parts = playlist(exact).split("#EXTINF")[0]!;
  expect(edgeLatencyMs(parts, START, exact(2.7))).toBe(700);
});

test("a playlist that has lost its beginning, or is not continuous, has no latency", () => {
  expect(edgeLatencyMs(playlist(exact, 2), START, exact(6))).toBeNull();
  expect(
    edgeLatencyMs(playlist(exact).replace("#EXTINF", "#EXT-X-DISCONTINUITY\n#EXTINF"), START, exact(6)),
  ).toBeNull();
});
