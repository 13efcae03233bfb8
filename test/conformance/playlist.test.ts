import { describe, expect, test } from "vitest";
import type { StreamEvidence } from "../../conformance/ll-hls/evidence.ts";
import { parseMediaPlaylist } from "../../conformance/ll-hls/parse.ts";
import { applyDelta, holds, nextPlace } from "../../conformance/ll-hls/playlist.ts";
import { judge } from "../../conformance/ll-hls/rule.ts";
import { segmentsOf } from "../../conformance/ll-hls/rules/parts.ts";
import { RULES } from "../../conformance/ll-hls/check.ts";

const URL = "http://origin.test/a/live.m3u8";
const HEAD = ["#EXTM3U", "#EXT-X-VERSION:9", "#EXT-X-TARGETDURATION:2", "#EXT-X-PART-INF:PART-TARGET=0.5"];
const parse = (...lines: string[]) => parseMediaPlaylist([...HEAD, ...lines, ""].join("\n"), URL);

describe("the parser", () => {
  test("continues byte ranges without an offset, and resolves URIs", () => {
    const { segments } = parse(
      '#EXT-X-PART:DURATION=0.5,URI="7.m4s",BYTERANGE="100@0"',
      '#EXT-X-PART:DURATION=0.5,URI="7.m4s",BYTERANGE="50"',
    );
    expect(segments[0]!.parts.map(({ uri, range }) => [uri, range])).toEqual([
      ["http://origin.test/a/7.m4s", { offset: 0, length: 100 }],
      ["http://origin.test/a/7.m4s", { offset: 100, length: 50 }],
    ]);
  });

  test("reports violations of the grammar, and continues", () => {
    const { problems, segments } = parse("#EXT-X-PART:DURATION=0.5", "orphan.m4s", "#EXTINF:2,", "whole.m4s");
    expect(problems).toEqual(["no URI: #EXT-X-PART:DURATION=0.5", "a segment without EXTINF: orphan.m4s"]);
    expect(segments.at(-1)?.uri).toBe("http://origin.test/a/whole.m4s");
  });
});

describe("places", () => {
  const open = parse("#EXT-X-MEDIA-SEQUENCE:4", "#EXTINF:2,", "4.m4s", '#EXT-X-PART:DURATION=0.5,URI="5.0.m4s"');

  test("a player requests the part after the last one", () => expect(nextPlace(open)).toEqual({ msn: 5, part: 1 }));

  test("a playlist contains past positions, and not the next one", () => {
    const asked = [
      { msn: 3, part: 9 },
      { msn: 4, part: null },
      { msn: 5, part: 0 },
      { msn: 5, part: 1 },
      { msn: 5, part: null },
    ];
    expect(asked.map((place) => holds(open, place))).toEqual([true, true, true, false, false]);
  });

  test("a part after a segment's last is the next segment's first", () => {
    const parts = [0, 1].map((part) => `#EXT-X-PART:DURATION=0.5,URI="4.${part}.m4s"`);
    const whole = parse("#EXT-X-MEDIA-SEQUENCE:4", ...parts, "#EXTINF:1,", "4.m4s");
    expect([holds(whole, { msn: 4, part: 1 }), holds(whole, { msn: 4, part: 2 })]).toEqual([true, false]);
  });
});

test("a delta update gets skipped segments from the previous playlist, and discontinuities keep their numbers", () => {
  const base = parse("#EXTINF:2,", "0.m4s", "#EXT-X-DISCONTINUITY", "#EXTINF:2,", "1.m4s", "#EXTINF:2,", "2.m4s");
  const delta = parse(
    "#EXT-X-MEDIA-SEQUENCE:1",
    "#EXT-X-SKIP:SKIPPED-SEGMENTS=1",
    "#EXTINF:2,",
    "2.m4s",
    "#EXTINF:2,",
    "3.m4s",
  );
  const whole = applyDelta(base, delta)!;
  expect(whole.segments.map(({ msn, discontinuitySequence }) => [msn, discontinuitySequence])).toEqual([
    [1, 1],
    [2, 1],
    [3, 1],
  ]);
  expect(applyDelta(parse("#EXTINF:2,", "0.m4s"), delta)).toBeNull();
});

test("a segment that was listed with half its parts, and then without any, has its EXTINF duration", () => {
  const [open, whole] = ['#EXT-X-PART:DURATION=0.5,URI="0.0.m4s"', "#EXTINF:2,\n0.m4s"].map((line) => parse(line));
  const exchange = { url: URL, askedAtMs: 0, answeredAtMs: 1, status: 200, headers: {} };
  const answer = { ...exchange, purpose: "reload" as const, asked: null, text: "" };
  const playlists = [open, whole].map((playlist) => ({ ...answer, playlist: playlist! }));
  const [listed] = segmentsOf({ url: URL, playlists, media: [] });
  expect([listed?.segment.durationS, listed?.segment.parts]).toEqual([2, []]);
});

test("a gap whose parts lack GAP=YES is a fault", () => {
  const text = [...HEAD, '#EXT-X-PART:DURATION=0.5,URI="0.0.m4s"', "#EXT-X-GAP", "#EXTINF:0.5,", "0.m4s"].join("\n");
  const exchange = { url: URL, askedAtMs: 0, answeredAtMs: 1, status: 200, headers: {} };
  const answer = { ...exchange, purpose: "first" as const, asked: null, text, playlist: parseMediaPlaylist(text, URL) };
  const stream: StreamEvidence = {
    url: URL,
    multivariant: null,
    entry: exchange,
    lagS: 0,
    renditions: [{ url: URL, playlists: [answer], media: [] }],
  };
  const [verdict] = judge(
    RULES.filter(({ id }) => id === "gaps"),
    stream,
  );
  expect(verdict).toMatchObject({
    state: "FAIL",
    faults: [{ url: URL, lines: ["GAP=YES on each part of 0", expect.stringContaining("0.0.m4s")] }],
  });
});
