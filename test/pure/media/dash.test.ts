import { expect, test } from "vitest";
import { leastBufferRate } from "../../../src/media/dash/bandwidth.ts";
import { mpd } from "../../../src/media/dash/mpd.ts";
import { timeline } from "../../../src/media/dash/segment-template.ts";
import { planSheet } from "../../../src/media/images/sheet-plan.ts";
import { multivariantPlaylist } from "../../../src/media/hls/multivariant.ts";
import { presentationOf } from "../../../src/media/manifest/model.ts";
import { audioRow, facts, growing, source, videoRow } from "./rows.ts";

const v720 = videoRow("v720", 1280, 720, [1_000_000, 500_000]);
const v270 = videoRow("v270", 480, 270, [100_000, 50_000]);
const a1 = audioRow("a1", [64_000, 64_000]);
const now = new Date(Date.UTC(2026, 10, 20, 12, 0, 5));
const lines = (text: string) => text.replaceAll("><", ">\n<").trim().split("\n");

test("the MPD of a ready asset is static, with every rung in one set", () => {
  expect(lines(mpd(presentationOf(facts("ready", [v720, v270, a1]))!, "P", now))).toEqual(
    `<?xml version="1.0" encoding="UTF-8"?>
<MPD xmlns="urn:mpeg:dash:schema:mpd:2011" profiles="urn:mpeg:dash:profile:isoff-live:2011" minBufferTime="PT4S" maxSegmentDuration="PT4S" type="static" mediaPresentationDuration="PT8.001S">
<BaseURL>P/</BaseURL>
<Period id="0" start="PT0S">
<AdaptationSet id="0" contentType="video" mimeType="video/mp4" par="16:9" maxWidth="1280" maxHeight="720" maxFrameRate="25" segmentAlignment="true" startWithSAP="1">
<Role schemeIdUri="urn:mpeg:dash:role:2011" value="main"/>
<Representation id="v720" codecs="avc1.64001f" bandwidth="2000000" width="1280" height="720" frameRate="25" sar="1:1">
<SegmentTemplate timescale="25" startNumber="0" initialization="$RepresentationID$/init.mp4" media="$RepresentationID$/$Number$.m4s">
<SegmentTimeline>
<S t="0" d="100" r="1"/>
</SegmentTimeline>
</SegmentTemplate>
</Representation>
<Representation id="v270" codecs="avc1.64001f" bandwidth="200000" width="480" height="270" frameRate="25" sar="1:1">
<SegmentTemplate timescale="25" startNumber="0" initialization="$RepresentationID$/init.mp4" media="$RepresentationID$/$Number$.m4s">
<SegmentTimeline>
<S t="0" d="100" r="1"/>
</SegmentTimeline>
</SegmentTemplate>
</Representation>
</AdaptationSet>
<AdaptationSet id="1" contentType="audio" mimeType="audio/mp4" lang="en" segmentAlignment="true" startWithSAP="1">
<Label>English</Label>
<Role schemeIdUri="urn:mpeg:dash:role:2011" value="main"/>
<Representation id="a1" codecs="mp4a.40.2" bandwidth="128000" audioSamplingRate="48000">
<AudioChannelConfiguration schemeIdUri="urn:mpeg:dash:23003:3:audio_channel_configuration:2011" value="2"/>
<SegmentTemplate timescale="48000" startNumber="0" initialization="$RepresentationID$/init.mp4" media="$RepresentationID$/$Number$.m4s">
<SegmentTimeline>
<S t="0" d="192000" r="1"/>
</SegmentTimeline>
</SegmentTemplate>
</Representation>
</AdaptationSet>
</Period>
</MPD>`.split("\n"),
  );
});

test("of several defaults only the first is the main one, as in HLS", () => {
  const sounds = ["a1", "a2", "a3"].map((name, n) => ({ ...a1, name, isDefault: n > 0 }));
  const textTracks = ["t1", "t2", "t3"].map((id, n) => ({
    id,
    name: id,
    languageCode: "en",
    isDefault: n > 0,
    isForced: false,
    isClosedCaptions: false,
    peakBps: 1,
    averageBps: 1,
  }));
  const presentation = presentationOf({ ...facts("ready", [v720, ...sounds]), textTracks })!;
  const sets = mpd(presentation, "P", now).split("<AdaptationSet ").slice(1);
  const main = sets
    .filter((set) => set.includes(`value="main"`))
    .map((set) => /<Representation id="([^"]+)"/.exec(set)?.[1]);
  expect(main).toEqual(["v720", "a2", "text-t2"]);
  expect(sets.filter((set) => set.includes(`value="alternate"`))).toHaveLength(4);
  const hls = multivariantPlaylist(presentation, "P");
  expect(
    hls
      .split("\n")
      .filter((row) => row.includes("DEFAULT=YES"))
      .map((row) => /URI="P\/(?:text\/)?(\w+)/.exec(row)?.[1]),
  ).toEqual(["a2", "t2"]);
});

test("a source that is listed with its ladder is a separate set, and the preferred one", () => {
  const text = mpd(presentationOf(facts("processing", [source({ ...v720, name: "source-v" }), v270, a1]))!, "P", now);
  expect(text.match(/<AdaptationSet [^>]*contentType="video"[^>]*selectionPriority="\d"/g)).toHaveLength(2);
  expect(text.indexOf('selectionPriority="2"')).toBeLessThan(text.indexOf('id="source-v"'));
  expect(text.indexOf('selectionPriority="1"')).toBeLessThan(text.indexOf('id="v270"'));
});

test("a growing presentation is dynamic, and lists audio no further than video", () => {
  const one = { ...growing(v270), segments: { durationTicks: [100], bytes: [1], keyframes: [[]] } };
  const text = mpd(presentationOf(facts("processing", [one, a1]))!, "P", now);
  expect(text).toContain(
    'type="dynamic" availabilityStartTime="2026-11-20T12:00:00.000Z" publishTime="2026-11-20T12:00:05.000Z"',
  );
  // Players treat it as live: the clock saves them a request, the delay makes them start at the beginning.
  expect(text).toContain('suggestedPresentationDelay="PT43200S"');
  expect(text).toContain('<UTCTiming schemeIdUri="urn:mpeg:dash:utc:direct:2014" value="2026-11-20T12:00:05.000Z"/>');
  expect(text).not.toContain("mediaPresentationDuration");
  expect(text).toContain('<S t="0" d="192000"/>');
});

test("a timeline joins equal durations", () => {
  expect(timeline([10, 10, 10, 7, 10])).toEqual(['<S t="0" d="10" r="2"/>', '<S d="7"/>', '<S d="10"/>']);
});

test("bandwidth suffices for all consecutive segments to arrive in time after minBufferTime", () => {
  // 4 s of lead and 4.0107 s of sound: 0.3 % more than the media's own rate.
  expect(leastBufferRate([4.0107, 4], [4_010_700, 4_000_000], 4)).toBeCloseTo((4_010_700 * 8) / 4, 3);
  // Two large segments in a row need more than either.
  expect(leastBufferRate([1, 4, 4], [100, 1000, 4000], 4)).toBeCloseTo((4000 * 8) / 4, 3);
  expect(leastBufferRate([4, 1, 4], [1000, 900, 1000], 4)).toBeCloseTo((1900 * 8) / (4 + 1), 3);
  expect(leastBufferRate([4], [0], 4)).toBe(0);
});

test("bandwidth of audio covers a segment that is a frame longer than minBufferTime", () => {
  const sound = audioRow("a1", [64_171, 64_000], {
    segments: { durationTicks: [192_512, 192_000], bytes: [64_171, 64_000], keyframes: [] },
  });
  const text = mpd(presentationOf(facts("ready", [v720, sound]))!, "P", now);
  expect(text).toContain(`id="a1" codecs="mp4a.40.2" bandwidth="${(64_171 * 8) / 4}"`);
});

test("the tiles of a complete media are a set of pictures: one segment, as long as all places of the sheet", () => {
  const sheet = planSheet([v720, v270])!;
  const text = mpd(presentationOf(facts("ready", [v720, v270, a1]))!, "P", now, { sheet });
  expect(lines(text).slice(-12, -3)).toEqual(
    `<AdaptationSet id="2" contentType="image" mimeType="image/jpeg">
<Representation id="images" bandwidth="${Math.ceil((sheet.tiles * 256 * 144 * 1.5) / 8)}" width="${256 * sheet.columns}" height="${144 * sheet.rows}">
<EssentialProperty schemeIdUri="http://dashif.org/guidelines/thumbnail_tile" value="${sheet.columns}x${sheet.rows}"/>
<SegmentTemplate timescale="1000" startNumber="1" media="spritesheet.jpg">
<SegmentTimeline>
<S t="0" d="${1000 * sheet.columns * sheet.rows * sheet.intervalSeconds}"/>
</SegmentTimeline>
</SegmentTemplate>
</Representation>`.split("\n"),
  );
  const rows = [v720, v270, a1].map(growing);
  const growingMpd = mpd(presentationOf(facts("processing", rows))!, "P", now, { sheet });
  expect(growingMpd).not.toContain("image/jpeg");
});
