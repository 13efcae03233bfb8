import { describe, expect, test } from "vitest";
import { textPlaylist } from "../../../src/media/hls/text-playlist.ts";
import { multivariantPlaylist } from "../../../src/media/hls/multivariant.ts";
import { mpd } from "../../../src/media/dash/mpd.ts";
import { presentationOf, type Rendition, type TextTrack } from "../../../src/media/manifest/model.ts";
import { audioRow, facts, growing, source, videoRow } from "./rows.ts";

const subtitles = (id: string, change: Partial<TextTrack> = {}): TextTrack => ({
  id,
  name: "Italian",
  languageCode: "it",
  isDefault: false,
  isForced: false,
  isClosedCaptions: false,
  peakBps: 2000,
  averageBps: 1000,
  ...change,
});
const offered = (status: "processing" | "ready", rows: Rendition[], text = [subtitles("t1")]) =>
  presentationOf({ ...facts(status, rows), textTracks: text })!;
const picture = (segments: number) =>
  videoRow(
    "v720",
    1280,
    720,
    Array.from({ length: segments }, () => 1000),
  );
const sound = (segments: number) =>
  audioRow(
    "a1",
    Array.from({ length: segments }, () => 100),
  );
const durations = (playlist: string) =>
  [...playlist.matchAll(/#EXTINF:([\d.]+),\nt1\/(\d+)\.vtt/g)].map(([, s, n]) => [Number(s), Number(n)]);

describe("the playlist of subtitles", () => {
  test("covers a complete media to its end, and is the same while the ladder is added to the source", () => {
    const withSource = [source({ ...picture(3), name: "source-v" }), source({ ...sound(3), name: "source-a1" })];
    const first = textPlaylist(offered("processing", withSource), "t1");
    expect(textPlaylist(offered("ready", [...withSource, picture(3), sound(3)]), "t1")).toBe(first);
    expect(durations(first).map(([, number]) => number)).toEqual([0, 1, 2]);
    expect(first).toContain("#EXT-X-PLAYLIST-TYPE:VOD");
    expect(first.endsWith("#EXT-X-ENDLIST\n")).toBe(true);
  });

  test("grows with the picture, and has no end before the picture has one", () => {
    const playlist = textPlaylist(offered("processing", [growing(picture(2)), growing(sound(2))]), "t1");
    expect(durations(playlist)).toEqual([
      [4, 0],
      [4, 1],
    ]);
    expect(playlist).toContain("#EXT-X-PLAYLIST-TYPE:EVENT");
    expect(playlist).not.toContain("ENDLIST");
  });
});

test("names are unique, one track at most is the default, and the rate of the largest is added to each variant", () => {
  const rows = [picture(2), sound(2)];
  const text = [
    subtitles("t1", { isDefault: true }),
    subtitles("t2", { isDefault: true, isForced: true, peakBps: 9000 }),
    subtitles("t3", { languageCode: "und" }),
  ];
  const playlist = multivariantPlaylist(offered("ready", rows, text), "P");
  const media = playlist.split("\n").filter((row) => row.includes("TYPE=SUBTITLES"));
  expect(media.map((row) => /NAME="([^"]+)"/.exec(row)![1])).toEqual(["Italian", "Italian 2", "Italian 3"]);
  expect(
    media.map((row) => [row.includes("DEFAULT=YES"), row.includes("FORCED=YES"), row.includes("LANGUAGE")]),
  ).toEqual([
    [true, false, true],
    [false, true, true],
    [false, false, false],
  ]);
  const rate = (all: string) => Number(/#EXT-X-STREAM-INF:BANDWIDTH=(\d+)/.exec(all)![1]);
  expect(rate(playlist) - rate(multivariantPlaylist(offered("ready", rows, []), "P"))).toBe(9000);
});

test("an MPD has subtitles once it is complete", () => {
  const rows = [picture(2), sound(2)];
  expect(mpd(offered("ready", rows), "P", new Date(0))).toContain('contentType="text"');
  expect(mpd(offered("processing", rows.map(growing)), "P", new Date(0))).not.toContain('contentType="text"');
});
