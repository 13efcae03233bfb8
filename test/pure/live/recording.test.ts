/** Tests the recording of a session: from the live origin's index to playlists, MPDs and clips. */
import { expect, test } from "vitest";
import { mpd } from "../../../src/media/dash/mpd.ts";
import { mediaPlaylist } from "../../../src/media/hls/media-playlist.ts";
import type { LiveRendition, LiveSegment } from "../../../src/media/live/timeline.ts";
import { mediaListOf, presentationOf, type Rendition } from "../../../src/media/manifest/model.ts";
import { findRange } from "../../../src/live/origin/recorded/clips-range.ts";
import type { RecordedList } from "../../../src/live/origin/recorded/recorded-session.ts";
import { MOST_SEGMENTS, recordedLists } from "../../../src/live/origin/recorded/recording-lists.ts";
import { audioRow, facts, videoRow } from "../media/rows.ts";

const START_MS = Date.UTC(2026, 10, 20, 12);
const TIMESCALES: Record<string, number> = { v720: 120_000, v360: 120_000, a1: 48_000 };

/** Segments of 2 s, one after the other from `firstMsn` on. */
const segments = (name: string, count: number, firstMsn = 0, change: Partial<LiveSegment> = {}): LiveSegment[] =>
  Array.from({ length: count }, (_, n) => ({
    msn: firstMsn + n,
    capturedAtMs: START_MS + (firstMsn + n) * 2000,
    decodeTicks: (firstMsn + n) * 2 * TIMESCALES[name]!,
    durationTicks: 2 * TIMESCALES[name]!,
    bytes: change.isGap === true ? 0 : 100_000,
    isDiscontinuous: false,
    initVersion: 0,
    isGap: false,
    isWhole: true,
    parts: [],
    ...change,
  }));
const rendition = (name: string, list: LiveSegment[], hasEnded = true): LiveRendition => ({
  name,
  timescale: TIMESCALES[name]!,
  segments: list,
  firstMsn: 0,
  discontinuities: [],
  periodStarts: [],
  droppedFrom: null,
  hasEnded,
});
const rowOf = ({ name, timescale, segments: list }: RecordedList): Rendition => ({
  ...(name === "a1" ? audioRow(name, []) : videoRow(name, 1280, 720, [])),
  timescale,
  segments: list,
});
const played = (session: LiveRendition[]) => facts("ready", recordedLists(session, null).map(rowOf));
const playlist = (session: LiveRendition[], name: string) =>
  mediaPlaylist(mediaListOf(played(session), name)!)
    .split("\n")
    .slice(6, -2);

/** Two segments, one that was cut short, a reconnect with new inits, two more; the rung v360 is dropped in the second run. */
function reconnected(): LiveRendition[] {
  const [short, back] = [{ durationTicks: 60_000, bytes: 30_000 }, { initVersion: 1 }];
  const later = (name: string, count: number) =>
    segments(name, count, 3, back).map((segment, n) => ({
      ...segment,
      decodeTicks: (4.5 + 2 * n) * TIMESCALES[name]!,
      isDiscontinuous: n === 0,
    }));
  const sound = { durationTicks: 24_064, bytes: 9000 };
  return [
    rendition("v720", [...segments("v720", 2), ...segments("v720", 1, 2, short), ...later("v720", 2)]),
    rendition("v360", [...segments("v360", 2), ...segments("v360", 1, 2, short), ...later("v360", 1)]),
    rendition("a1", [...segments("a1", 2), ...segments("a1", 1, 2, sound), ...later("a1", 2)]),
  ];
}

test("a playlist has exact durations, and marks changes of timestamps and init segments, and gaps", () => {
  expect(playlist(reconnected(), "v720")).toEqual(
    `#EXT-X-MAP:URI="v720/init-0.mp4"
#EXT-X-PROGRAM-DATE-TIME:2026-11-20T12:00:00.000Z
#EXTINF:2.000000,
v720/0.m4s
#EXTINF:2.000000,
v720/1.m4s
#EXTINF:0.500000,
v720/2.m4s
#EXT-X-DISCONTINUITY
#EXT-X-MAP:URI="v720/init-1.mp4"
#EXTINF:2.000000,
v720/3.m4s
#EXTINF:2.000000,
v720/4.m4s`.split("\n"),
  );
  expect(playlist(reconnected(), "v360").slice(-3)).toEqual(["#EXT-X-GAP", "#EXTINF:2.000000,", "v360/4.m4s"]);
  expect(playlist(reconnected(), "a1").filter((line) => line.startsWith("#EXT-X-DISC"))).toHaveLength(1);
});

test("the MPD has a Period per span, which synchronizes audio and video and omits renditions without media", () => {
  const text = mpd(presentationOf(played(reconnected()))!, "P", new Date(START_MS));
  const [, first, second, third] = text.split("<Period ");
  expect(text).toContain('mediaPresentationDuration="PT8.501S"');
  expect(first).toContain('id="0" start="PT0S"');
  expect(first).toContain('startNumber="0" initialization="$RepresentationID$/init-0.mp4"');
  expect(first).toContain('<S t="0" d="96000" r="1"/><S d="24064"/>');
  expect(second).toContain('id="1" start="PT4.5S"');
  expect(second).toContain(
    'timescale="48000" presentationTimeOffset="216000" startNumber="3" initialization="$RepresentationID$/init-1.mp4"',
  );
  expect(second).toContain('<S t="540000" d="240000"/>');
  expect(third).toContain('id="2" start="PT6.5S"');
  expect([first, second, third].map((period) => period!.includes('id="v360"'))).toEqual([true, true, false]);
});

test("a lost segment of one rendition has the duration that the others have, at any position", () => {
  const session = [
    rendition("v720", segments("v720", 4)),
    rendition("a1", [...segments("a1", 1, 0, { isGap: true }), ...segments("a1", 2, 1)]), // the last segment is lost too
  ];
  const [video, audio] = recordedLists(session, null);
  expect(audio!.segments).toMatchObject({ bytes: [0, 100_000, 100_000, 0], durationTicks: Array(4).fill(96_000) });
  expect(audio!.segments.spans!.map(({ first, startTicks }) => [first, startTicks])).toEqual([
    [0, 0],
    [1, 96_000],
    [3, 288_000],
  ]);
  expect(video!.segments.spans!.map(({ first }) => first)).toEqual([0, 1, 3]);
  expect(playlist(session, "v720").join()).not.toContain("DISCONTINUITY");
  const [first, second] = mpd(presentationOf(played(session))!, "P", new Date())
    .split("<Period ")
    .slice(1);
  expect([first!.includes('id="a1"'), second!.includes('id="a1"')]).toEqual([false, true]);
});

test("segments lost in all renditions are gaps in HLS and no time in DASH; a rendition without any media is omitted", () => {
  const lost = (name: string) => [
    ...segments(name, 1),
    ...segments(name, 1, 1, { isGap: true }),
    ...segments(name, 1, 2),
  ];
  const session = [rendition("v720", lost("v720")), rendition("a1", lost("a1")), rendition("v360", [])];
  expect(recordedLists(session, null).map(({ name }) => name)).toEqual(["v720", "a1"]);
  expect(playlist(session, "v720")).toContain("#EXT-X-GAP");
  const text = mpd(presentationOf(played(session))!, "P", new Date());
  expect(text).toContain('mediaPresentationDuration="PT4.001S"');
  expect(text.match(/start="[^"]*"/g)).toEqual(['start="PT0S"', 'start="PT2S"']);
  expect(recordedLists([rendition("v720", [])], null)).toEqual([]);
});

test("the average bit rate ignores gaps", () => {
  const session = [
    rendition("v720", segments("v720", 10)),
    rendition("v360", [...segments("v360", 5), ...segments("v360", 5, 5, { isGap: true })]),
  ];
  const text = mpd(presentationOf(played(session))!, "P", new Date());
  expect(text.match(/bandwidth="\d+"/g)).toEqual(Array(3).fill('bandwidth="400000"'));
});

test("the longest recording fits into rows of D1: segments of 2 s at 16 Mbit/s", () => {
  const session = [rendition("v720", segments("v720", MOST_SEGMENTS + 9, 0, { bytes: 4_000_000 }))];
  const [list] = recordedLists(session, { first: 0, last: MOST_SEGMENTS - 1 });
  expect(list!.segments.bytes).toHaveLength(MOST_SEGMENTS);
  expect(JSON.stringify(list!.segments).length).toBeLessThan(2_000_000);
});

test.each([
  ["holds both ends", 2.5, 5, { kind: "range", first: 1, last: 2, startSeconds: 2, endSeconds: 6 }],
  ["begins and ends at boundaries", 2, 4, { kind: "range", first: 1, last: 1 }],
  ["begins at 0", 0, 0.1, { kind: "range", first: 0, last: 0 }],
  ["is cut at 20 minutes", 1, 5000, { kind: "range", first: 0, last: 600 }],
  ["ends after the live edge", 1990, 2001, { kind: "early" }],
  ["begins after the live edge", 2000, 2001, { kind: "beyond", reachedSeconds: 2002 }],
])("a clip on air that %s", (_, start, end, expected) => {
  const session = [
    rendition("v720", segments("v720", 1000), false),
    rendition("a1", segments("a1", 1001), false),
    rendition("v360", segments("v360", 300), false), // dropped long ago
  ];
  expect(findRange(session, start, end)).toMatchObject(expected);
});

test("a clip of an ended broadcast ends with the broadcast", () => {
  const session = [rendition("v720", segments("v720", 10)), rendition("a1", segments("a1", 9))];
  expect(findRange(session, 15, 60)).toMatchObject({ kind: "range", first: 7, last: 9, endSeconds: 20 });
  expect(findRange(session, 20, 60)).toEqual({ kind: "beyond", reachedSeconds: 20 });
  const [video] = recordedLists(session, { first: 7, last: 9 });
  expect(video!.segments.spans).toMatchObject([
    { first: 0, startTicks: 1_680_000 },
    { first: 2, startTicks: 2_160_000 },
  ]);
});
