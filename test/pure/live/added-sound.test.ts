/** Sound that is added to a recording: its cuts, its times beside the picture, and the manifests that list it. */
import { describe, expect, test } from "vitest";
import { AAC_FRAME_SAMPLES } from "../../../protocol/media/audio-plan.ts";
import { cutSound, frameCountOf } from "../../../protocol/media/sound-cuts.ts";
import { mpd } from "../../../src/media/dash/mpd.ts";
import { mediaPlaylist } from "../../../src/media/hls/media-playlist.ts";
import { mediaListOf, presentationOf, type Rendition } from "../../../src/media/manifest/model.ts";
import { hasEverySpan, recordedCuts, recordedSound } from "../../../src/media/manifest/recorded-sound.ts";
import type { Span } from "../../../src/media/types.ts";
import { audioRow, facts, videoRow } from "../media/rows.ts";

const RATE_HZ = 48_000;
const VIDEO_TIMESCALE = 90_000;
const span = (first: number, startSeconds: number, timescale: number, isDiscontinuous: boolean): Span => ({
  first,
  initVersion: 0,
  startTicks: Math.round(startSeconds * timescale),
  capturedAtMs: 1_795_000_000_000 + first * 2000,
  isDiscontinuous,
});

/**
 * Segments of 2 s. The broadcaster left after 4.7 s and came back on a clock that had gone on to 11.3 s. Then segment 5 was lost by all, and
 * segment 6 by the picture alone.
 */
const SECONDS = [2, 2, 0.7, 2, 2, 2, 2, 2];
const STARTS: [first: number, seconds: number, isDiscontinuous: boolean][] = [
  [0, 0, false],
  [3, 11.3, true],
  [5, 15.3, false],
  [6, 17.3, false],
  [7, 19.3, false],
];
const listOf = (timescale: number, lost: number[]) => ({
  durationTicks: SECONDS.map((seconds) => Math.round(seconds * timescale)),
  bytes: SECONDS.map((_, n) => (lost.includes(n) ? 0 : 30_000)),
  keyframes: [],
  spans: STARTS.map(([first, seconds, isDiscontinuous]) => span(first, seconds, timescale, isDiscontinuous)),
});
const VIDEO = videoRow("v720", 1280, 720, [], {
  timescale: VIDEO_TIMESCALE,
  segments: listOf(VIDEO_TIMESCALE, [5, 6]),
});
const SOUND = audioRow("a1", [], { segments: listOf(RATE_HZ, [5]) });
const CUTS = recordedCuts([VIDEO, SOUND]);
const ADDED: Rendition = audioRow("at-1", [], {
  origin: "track",
  languageCode: "de",
  languageName: "German",
  isDefault: false,
  segments: recordedSound(
    CUTS,
    RATE_HZ,
    SECONDS.map((_, n) => (n === 5 ? 0 : 32_000)),
  )!,
});

const half = AAC_FRAME_SAMPLES / 2 / RATE_HZ;

test("each segment ends within half an AAC frame of the picture's, and the sound as a whole too", () => {
  const cuts = cutSound(CUTS, RATE_HZ);
  let end = 0;
  for (const [n, seconds] of SECONDS.entries()) {
    end += seconds;
    const { firstFrame, frameCount } = cuts[n]!;
    expect(Math.abs(((firstFrame + frameCount) * AAC_FRAME_SAMPLES) / RATE_HZ - end)).toBeLessThanOrEqual(half);
  }
  expect(frameCountOf(cuts)).toBe(Math.round((end * RATE_HZ) / AAC_FRAME_SAMPLES));
});

test.each([44_100, 48_000])(
  "at %i Hz the sound keeps its distance to the picture to the sample in every span",
  (rateHz) => {
    const cuts = cutSound(CUTS, rateHz);
    let startSeconds = 0;
    for (const [n, seconds] of SECONDS.entries()) {
      const [first, mediaSeconds] = STARTS.findLast(([from]) => from <= n)!;
      const spanStart = SECONDS.slice(0, first).reduce((sum, one) => sum + one, 0);
      const { firstFrame, decodeTicks } = cuts[n]!;
      const onTimeline = (firstFrame * AAC_FRAME_SAMPLES) / rateHz;
      const pictureThen = mediaSeconds + (onTimeline - spanStart);
      expect(Math.abs(decodeTicks / rateHz - pictureThen)).toBeLessThan(1.5 / rateHz);
      expect(Math.abs(onTimeline - startSeconds)).toBeLessThanOrEqual(AAC_FRAME_SAMPLES / 2 / rateHz);
      startSeconds += seconds;
    }
  },
);

test("decode times are never negative, and a segment shorter than an AAC frame has one", () => {
  const spans = [
    { first: 0, mediaUs: 0, isGap: false },
    { first: 1, mediaUs: 0, isGap: false },
  ];
  const cuts = cutSound({ endsUs: [2_010_000, 2_011_000, 4_000_000], spans }, RATE_HZ);
  expect(cuts.map(({ frameCount }) => frameCount)).toEqual([94, 1, 93]);
  expect(cuts.map(({ decodeTicks }) => decodeTicks)).toEqual([0, 0, 1024]);
});

test("what no rendition has is a gap of the sound too; what another one has is not", () => {
  expect(CUTS.spans.map(({ isGap }) => isGap)).toEqual([false, false, true, false, false]);
  expect([hasEverySpan([VIDEO]), hasEverySpan([VIDEO, SOUND])]).toEqual([false, false]);
  expect(hasEverySpan([{ ...VIDEO, segments: listOf(VIDEO_TIMESCALE, []) }])).toBe(true);
});

test("sizes that do not fit the cuts make no list", () => {
  const bytes = ADDED.segments.bytes;
  expect(recordedSound(CUTS, RATE_HZ, bytes.slice(1))).toBeNull();
  expect(recordedSound(CUTS, RATE_HZ, bytes.with(0, 0))).toBeNull();
  expect(recordedSound(CUTS, RATE_HZ, bytes.with(5, 1))).toBeNull();
});

describe("the manifests", () => {
  const [before, after] = [facts("ready", [VIDEO, SOUND]), facts("ready", [VIDEO, SOUND, ADDED])];
  const marks = (name: string) =>
    mediaPlaylist(mediaListOf(after, name)!)
      .split("\n")
      .filter((line) => /^#EXT-X-(DISC|GAP|TARGET)|m4s$/.test(line))
      .map((line) => line.replace(`${name}/`, ""));

  test("list the sound with the discontinuities of the recording, and one init segment", () => {
    expect(marks("at-1")).toEqual(marks("a1"));
    expect(mediaPlaylist(mediaListOf(after, "at-1")!).match(/#EXT-X-MAP.*/g)).toEqual([
      '#EXT-X-MAP:URI="at-1/init-0.mp4"',
    ]);
  });

  test("do not change for the other renditions", () => {
    for (const name of ["v720", "a1"])
      expect(mediaPlaylist(mediaListOf(after, name)!)).toBe(mediaPlaylist(mediaListOf(before, name)!));
    // The longest segment may be one of the added sound, by an AAC frame.
    const text = (all: typeof before) =>
      mpd(presentationOf(all)!, "P", new Date(0)).replace(/ maxSegmentDuration="[^"]*"/, "");
    const added = /<AdaptationSet (?:(?!<AdaptationSet).)*?id="at-1".*?<\/AdaptationSet>/gs;
    expect(text(after).match(added)).toHaveLength(4);
    expect(text(after).replaceAll(added, "")).toBe(text(before));
  });

  test("give each Period the clock of its picture", () => {
    const [, second = ""] = mpd(presentationOf(after)!, "P", new Date(0)).split('<Period id="1"');
    const [, template = ""] = /id="at-1".*?<SegmentTemplate (.*?)<\/SegmentTemplate>/s.exec(second)!;
    expect(template).toContain(`presentationTimeOffset="${11.3 * RATE_HZ}" startNumber="3"`);
    const [, startTicks] = /<S t="(\d+)"/.exec(template)!;
    expect(Math.abs(Number(startTicks) - 11.3 * RATE_HZ)).toBeLessThanOrEqual(AAC_FRAME_SAMPLES / 2);
  });
});

test("the list of the longest recording fits into a row of 2 MB", () => {
  const count = 120_000;
  const endsUs = Array.from({ length: count }, (_, n) => (n + 1) * 1_980_000);
  const spans = [{ first: 0, mediaUs: 0, isGap: false, capturedAtMs: 0, isDiscontinuous: false }];
  const list = recordedSound(
    { endsUs, spans },
    RATE_HZ,
    Array.from({ length: count }, () => 32_768),
  );
  expect(JSON.stringify(list).length).toBeLessThan(1_900_000);
});
