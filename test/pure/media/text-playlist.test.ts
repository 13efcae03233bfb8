import { describe, expect, test } from "vitest";
import { segmentHeader } from "../../../src/media/captions/segments.ts";
import { timedSpans } from "../../../src/media/manifest/spans.ts";
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
    const first = textPlaylist(offered("processing", withSource), { id: "t1" });
    expect(textPlaylist(offered("ready", [...withSource, picture(3), sound(3)]), { id: "t1" })).toBe(first);
    expect(durations(first).map(([, number]) => number)).toEqual([0, 1, 2]);
    expect(first).toContain("#EXT-X-PLAYLIST-TYPE:VOD");
    expect(first.endsWith("#EXT-X-ENDLIST\n")).toBe(true);
  });

  test("grows with the picture, and has no end before the picture has one", () => {
    const playlist = textPlaylist(offered("processing", [growing(picture(2)), growing(sound(2))]), { id: "t1" });
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

describe("subtitles in an MPD", () => {
  const now = new Date(0);
  const template = (text: string) => /mimeType="text\/vtt".*?(<SegmentTemplate.*?<\/SegmentTemplate>)/.exec(text)?.[1];

  test("are a file once the media is complete", () => {
    const text = mpd(offered("ready", [picture(2), sound(2)]), "P", now);
    expect(text).toContain("<BaseURL>../P/text/t1.vtt</BaseURL>");
    expect(template(text)).toBeUndefined();
  });

  test("are segments while the media grows, and remain so for players that have them", () => {
    const listed = (entries: string) =>
      `<SegmentTemplate timescale="1000" startNumber="0" media="text/t1/$Number$.vtt"><SegmentTimeline>${entries}</SegmentTimeline></SegmentTemplate>`;
    const rows = [picture(2), sound(2)];
    const location = "P.mpd?text=segments";
    const growingMpd = mpd(offered("processing", rows.map(growing)), "P", now, { location });
    expect(template(growingMpd)).toBe(listed('<S t="0" d="4000" r="1"/>'));
    expect(growingMpd).toContain(`<Location>${location}</Location>`);
    const complete = mpd(offered("ready", rows), "P", now, { location, hasTextSegments: true });
    expect(template(complete)).toBe(listed('<S t="0" d="4000" r="1"/>'));
    expect(complete).not.toContain("<Location>");
  });

  test("have what there is of the first segment while no whole one is there", () => {
    const short = (row: Rendition, ticks: number) => ({
      ...growing(row),
      segments: { durationTicks: [ticks], bytes: [9], keyframes: [] },
    });
    const rows = [short(picture(1), 50), short(sound(1), 96_000)];
    expect(template(mpd(offered("processing", rows), "P", now))).toContain('<S t="0" d="2000"/>');
  });
});

describe("subtitles of a recording", () => {
  /** 5 s, a reconnect whose media time is 100 s, 4 s; sound is missing in the last 2 s. */
  const span = { first: 0, initVersion: 0, startTicks: 250, capturedAtMs: 0, isDiscontinuous: false };
  const spans = [
    span,
    { ...span, first: 2, initVersion: 1, startTicks: 2500, isDiscontinuous: true },
    { ...span, first: 3, initVersion: 1, startTicks: 2550 },
  ];
  const recorded = (row: Rendition, ticksPerSecond: number, bytes: number[]): Rendition => ({
    ...row,
    timescale: ticksPerSecond,
    segments: {
      durationTicks: [2, 3, 2, 2].map((seconds) => seconds * ticksPerSecond),
      bytes,
      keyframes: [],
      spans: spans.map((one) => ({ ...one, startTicks: (one.startTicks * ticksPerSecond) / 25 })),
    },
  });
  const rows = [recorded(picture(4), 25, [9, 9, 9, 9]), recorded(sound(4), 48_000, [9, 9, 9, 0])];

  test("are parted where the clock changes, with the discontinuities of the picture", () => {
    expect(textPlaylist(offered("ready", rows), { id: "t1" }).split("\n").slice(5, -2)).toEqual([
      "#EXTINF:4.000000,",
      "t1/0-0.vtt",
      "#EXTINF:1.000000,",
      "t1/1-0.vtt",
      "#EXT-X-DISCONTINUITY",
      "#EXTINF:2.000000,",
      "t1/1-1.vtt",
      "#EXTINF:1.000000,",
      "t1/1-2.vtt",
      "#EXTINF:1.000000,",
      "t1/2-2.vtt",
    ]);
  });

  test("map their times to those of the media", () => {
    const headers = timedSpans(rows).map(({ startSeconds, mediaSeconds }) =>
      segmentHeader({ presentationSeconds: startSeconds, mediaSeconds }),
    );
    expect(headers.map((header) => /MPEGTS:(\d+),LOCAL:(\S+)/.exec(header)!.slice(1))).toEqual([
      [String(10 * 90_000), "00:00:00.000"],
      [String(100 * 90_000), "00:00:05.000"],
      [String(102 * 90_000), "00:00:07.000"],
    ]);
    const late = segmentHeader({ presentationSeconds: 0.0004, mediaSeconds: 2 ** 33 / 90_000 + 1 });
    expect(late).toContain(`MPEGTS:${90_000 - 36},LOCAL:00:00:00.000`);
  });

  test("have the times of the whole presentation in each Period of an MPD", () => {
    const text = mpd(offered("ready", rows), "P", new Date(0));
    const templates = text.match(/<SegmentTemplate timescale="1000".*?<\/SegmentTemplate>/g);
    const media = 'media="text/t1/$Number$.vtt"><SegmentTimeline>';
    const end = "</SegmentTimeline></SegmentTemplate>";
    expect(templates).toEqual([
      `<SegmentTemplate timescale="1000" startNumber="0" ${media}<S t="0" d="4000"/><S d="1000"/>${end}`,
      `<SegmentTemplate timescale="1000" presentationTimeOffset="5000" startNumber="1" ${media}<S t="5000" d="2000"/>${end}`,
      `<SegmentTemplate timescale="1000" presentationTimeOffset="7000" startNumber="1" ${media}<S t="7000" d="1000" r="1"/>${end}`,
    ]);
    expect(text).toContain('maxSegmentDuration="PT4S"');
  });

  test("are a file in an MPD with a single Period", () => {
    const single = rows.map((row) => ({ ...row, segments: { ...row.segments, bytes: [9, 9, 9, 9] } }));
    const one = single.map((row) => ({ ...row, segments: { ...row.segments, spans: [row.segments.spans![0]!] } }));
    expect(mpd(offered("ready", one), "P", new Date(0))).toContain("<BaseURL>../P/text/t1.vtt</BaseURL>");
  });
});
