import { expect, test } from "vitest";
import { peakBitrate } from "../../../src/media/manifest/bandwidth.ts";
import { mpd } from "../../../src/media/dash/mpd.ts";
import { segmentSeconds } from "../../../src/media/hls/attributes.ts";
import { iframePlaylist } from "../../../src/media/hls/iframe-playlist.ts";
import { mediaPlaylist } from "../../../src/media/hls/media-playlist.ts";
import { multivariantPlaylist } from "../../../src/media/hls/multivariant.ts";
import { mediaListOf, presentationOf } from "../../../src/media/manifest/model.ts";
import { audioRow, facts, growing, videoRow } from "./rows.ts";

const v720 = videoRow("v720", 1280, 720, [1_000_000, 500_000, 250_000]);
const v270 = videoRow("v270", 480, 270, [100_000, 50_000, 25_000]);
const english = audioRow("a1", [64_000, 64_000, 64_000]);
const french = audioRow("a2", [64_000, 64_000, 64_000], {
  languageCode: "fr",
  languageName: "French",
  isDefault: false,
  channels: 1,
});
const ready = facts("ready", [v720, v270, english, french]);

test("the multivariant playlist lists codecs, sizes, measured rates, the shared audio and key frames", () => {
  expect(multivariantPlaylist(presentationOf(ready)!, "P")).toBe(`#EXTM3U
#EXT-X-VERSION:7
#EXT-X-INDEPENDENT-SEGMENTS
#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="audio",NAME="English",LANGUAGE="en",DEFAULT=YES,AUTOSELECT=YES,CHANNELS="2",URI="P/a1.m3u8"
#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="audio",NAME="French",LANGUAGE="fr",DEFAULT=NO,AUTOSELECT=YES,CHANNELS="1",URI="P/a2.m3u8"
#EXT-X-STREAM-INF:BANDWIDTH=2128000,AVERAGE-BANDWIDTH=1294667,CODECS="avc1.64001f,mp4a.40.2",RESOLUTION=1280x720,FRAME-RATE=25.000,CLOSED-CAPTIONS=NONE,AUDIO="audio"
P/v720.m3u8
#EXT-X-STREAM-INF:BANDWIDTH=328000,AVERAGE-BANDWIDTH=244667,CODECS="avc1.64001f,mp4a.40.2",RESOLUTION=480x270,FRAME-RATE=25.000,CLOSED-CAPTIONS=NONE,AUDIO="audio"
P/v270.m3u8
#EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=36000,CODECS="avc1.64001f",RESOLUTION=1280x720,URI="P/v720/iframes.m3u8"
#EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=36000,CODECS="avc1.64001f",RESOLUTION=480x270,URI="P/v270/iframes.m3u8"
`);
});

test("sound that describes the picture says so, in HLS and DASH", () => {
  const described = { ...french, isDescription: true };
  const presentation = presentationOf(facts("ready", [v720, english, described]))!;
  expect(multivariantPlaylist(presentation, "P")).toMatch(
    /NAME="French",.*AUTOSELECT=YES,CHARACTERISTICS="public.accessibility.describes-video",CHANNELS/,
  );
  const sets = mpd(presentation, "P", new Date()).match(/<AdaptationSet[^>]*contentType="audio".*?<Representation/g)!;
  expect(
    sets.map((set) => [...set.matchAll(/<(Accessibility|Role)[^>]*value="([^"]+)"/g)].map((one) => one[2])),
  ).toEqual([["main"], ["1", "alternate", "description"]]);
});

test("a single audio rendition without video is a plain variant", () => {
  expect(multivariantPlaylist(presentationOf(facts("ready", [english]))!, "P")).toBe(`#EXTM3U
#EXT-X-VERSION:7
#EXT-X-INDEPENDENT-SEGMENTS
#EXT-X-STREAM-INF:BANDWIDTH=128000,AVERAGE-BANDWIDTH=128000,CODECS="mp4a.40.2"
P/a1.m3u8
`);
});

test("sounds without a language are named as in the media's record, and by number when that is not unique", () => {
  const unknown = { languageCode: "und", languageName: "default" };
  const sounds = [unknown, { ...unknown, languageName: "Commentary" }, { ...unknown, languageName: null }];
  const rows = sounds.map((labels, n) => audioRow(`a${n + 1}`, [1], labels));
  const presentation = presentationOf(facts("ready", [v720, ...rows]))!;
  const names = ["default", "Commentary", "default 2"];
  const named = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, name]) => name);
  expect(named(multivariantPlaylist(presentation, "P"), /NAME="([^"]+)"/g)).toEqual(names);
  expect(named(mpd(presentation, "P", new Date(0)), /<Label>([^<]+)/g)).toEqual(names);
});

test("a title cannot break out of its attribute", () => {
  const odd = audioRow("a1", [1], { languageName: 'En"glish\n#EXT-X-EVIL' });
  expect(multivariantPlaylist(presentationOf(facts("ready", [v720, odd]))!, "P")).toContain(
    `NAME="En'glish #EXT-X-EVIL"`,
  );
});

test("a complete media playlist ends, with exact durations", () => {
  expect(mediaPlaylist(mediaListOf(ready, "v270")!)).toBe(`#EXTM3U
#EXT-X-VERSION:7
#EXT-X-TARGETDURATION:4
#EXT-X-MEDIA-SEQUENCE:0
#EXT-X-PLAYLIST-TYPE:VOD
#EXT-X-INDEPENDENT-SEGMENTS
#EXT-X-MAP:URI="v270/init.mp4"
#EXTINF:4.000000,
v270/0.m4s
#EXTINF:4.000000,
v270/1.m4s
#EXTINF:4.000000,
v270/2.m4s
#EXT-X-ENDLIST
`);
});

test("a growing media playlist starts at its beginning, has no end, and becomes the complete one by added lines only", () => {
  const one = { ...growing(v270), segments: { durationTicks: [100], bytes: [1], keyframes: [[]] } };
  const early = mediaPlaylist(mediaListOf(facts("processing", [one, english]), "v270")!);
  expect(early).toContain("#EXT-X-PLAYLIST-TYPE:EVENT\n");
  expect(early).toContain("#EXT-X-START:TIME-OFFSET=0\n");
  expect(early).toContain("#EXT-X-SERVER-CONTROL:CAN-BLOCK-RELOAD=YES\n");
  expect(early).not.toContain("ENDLIST");
  const segments = (text: string) => text.split("\n").filter((line) => !line.startsWith("#EXT-X"));
  const complete = mediaPlaylist(mediaListOf(ready, "v270")!);
  const late = segments(complete);
  expect(late.slice(0, 3)).toEqual(segments(early).slice(0, 3));

  const two = { ...growing(v270), segments: { durationTicks: [100, 100], bytes: [1, 1], keyframes: [[], []] } };
  const longer = mediaPlaylist(mediaListOf(facts("processing", [two, english]), "v270")!);
  expect(longer).toContain("#EXT-X-START:TIME-OFFSET=0\n");
  for (const text of [longer, complete]) expect(text).not.toContain("SERVER-CONTROL");
});

test("the I-frame playlist refers to byte ranges of the segments, with one entry per GOP", () => {
  const list = iframePlaylist(mediaListOf(facts("ready", [videoRow("v270", 480, 270, [100_000]), english]), "v270")!);
  expect(list).toBe(`#EXTM3U
#EXT-X-VERSION:7
#EXT-X-TARGETDURATION:4
#EXT-X-MEDIA-SEQUENCE:0
#EXT-X-PLAYLIST-TYPE:VOD
#EXT-X-I-FRAMES-ONLY
#EXT-X-MAP:URI="init.mp4"
#EXTINF:2.000000,
#EXT-X-BYTERANGE:9000@0
0.m4s
#EXTINF:2.000000,
#EXT-X-BYTERANGE:8000@50000
0.m4s
#EXT-X-ENDLIST
`);
  expect(iframePlaylist(mediaListOf(ready, "a1")!)).toBeNull();
});

test("durations add up exactly over twelve hours at a fractional frame rate", () => {
  const ticks = Array.from({ length: 10_789 }, () => 120_120);
  const total = segmentSeconds(ticks, 30_000).reduce((sum, seconds) => sum + Math.round(Number(seconds) * 1e6), 0);
  expect(total).toBe(Math.round((10_789 * 120_120 * 1e6) / 30_000));
});

test("a last segment of a few frames does not count as the peak", () => {
  const row = videoRow("v270", 480, 270, [100_000, 100_000, 20_000], {
    segments: { durationTicks: [100, 100, 1], bytes: [100_000, 100_000, 20_000], keyframes: [] },
  });
  // The tail alone would be 4 Mbit/s; with the segment before it, it is 237,624 bit/s.
  expect(peakBitrate(row)).toBe(237_624);
});
