import { expect, test } from "vitest";
import type { CaptionChannel } from "../../../../src/media/live/captions.ts";
import { liveMultivariant } from "../../../../src/media/live/multivariant.ts";
import { measuredBitrate } from "../../../../src/media/live/timeline.ts";
import { session } from "./session.ts";

const ANY = { minPx: null, maxPx: null, exactPx: null, order: null };
const video = {
  name: "v720",
  kind: "video" as const,
  widthPx: 1280,
  heightPx: 720,
  bitrateBps: 2e6,
  codec: "avc1.64001f",
  formats: [{ codec: "avc1.64001f", widthPx: 1280, heightPx: 720, frameRate: 29.97 }],
};
const sound = {
  name: "a1",
  kind: "audio" as const,
  widthPx: null,
  heightPx: null,
  bitrateBps: 1e5,
  codec: "mp4a.40.2",
};
const render = (
  variants: (typeof video | typeof sound)[],
  measuredBps: Record<string, number> = {},
  captions: CaptionChannel[] = [],
) => liveMultivariant({ variants, channels: 2, measuredBps, captions }, ANY, "p/s", "?dvrMode=true");

test("BANDWIDTH covers the encoder's largest possible segment and every measured one", () => {
  const bandwidth = (text: string) => Number(/:BANDWIDTH=(\d+)/.exec(text)![1]);
  expect(bandwidth(render([video, sound]))).toBe(2_205_000); // with the boxes, and sound
  expect(bandwidth(render([video, sound], { v720: 9e6, a1: 1 }))).toBe(9_105_000);
});

test("a variant names every format of its media once, and the highest frame rate", () => {
  const [first] = video.formats;
  const other = { codec: "avc1.42c01e", widthPx: 640, heightPx: 480, frameRate: 50 };
  const text = render([{ ...video, formats: [first!, other, { ...first!, frameRate: 25 }] }, sound]);
  expect(text).toContain(
    'CODECS="avc1.64001f,avc1.42c01e,mp4a.40.2",RESOLUTION=1280x720,FRAME-RATE=50.000,AUDIO="audio"',
  );
});

test("audio has its number of channels", () => {
  expect(render([video, sound])).toMatch(/#EXT-X-MEDIA:TYPE=AUDIO,.*CHANNELS="2"/);
});

test("the measured rate is the peak of the newest segments, without shortened ones", () => {
  const live = session(10, 2);
  live.segments[4]!.bytes = 500_000;
  Object.assign(live.segments[6]!, { bytes: 500_000, durationTicks: 1000 });
  expect(measuredBitrate(live)).toBe(2_000_000);
});

test("audio without video is a variant", () => {
  const text = render([sound]);
  expect(text).toContain('#EXT-X-STREAM-INF:BANDWIDTH=105000,CODECS="mp4a.40.2"\np/s/a1.m3u8?dvrMode=true');
  expect(text).not.toMatch(/EXT-X-MEDIA|FRAME-RATE|RESOLUTION/);
});

const CAPTIONS: CaptionChannel[] = [
  { name: "cc1", languageCode: "und" },
  { name: "cc3", languageCode: "es" },
  { name: "service2", languageCode: "es" },
  { name: "teletext888", languageCode: "und", isSubtitle: true },
];

test("captions are a group of subtitles, once they have shown text, with the language that is announced and for whom they are; none is on by default", () => {
  expect(render([video, sound])).not.toContain("SUBTITLES");
  const lines = render([video, sound], {}, CAPTIONS).split("\n");
  const media = lines.filter((line) => line.startsWith("#EXT-X-MEDIA:TYPE=SUBTITLES"));
  const flags = "DEFAULT=NO,AUTOSELECT=YES,FORCED=NO";
  const rest =
    `${flags},` +
    `CHARACTERISTICS="public.accessibility.transcribes-spoken-dialog,public.accessibility.describes-music-and-sound"`;
  expect(media).toEqual(
    [
      `NAME="CC1",${rest},URI="p/s/cc1.m3u8?dvrMode=true"`,
      `NAME="Spanish",LANGUAGE="es",${rest},URI="p/s/cc3.m3u8?dvrMode=true"`,
      `NAME="Spanish 2",LANGUAGE="es",${rest},URI="p/s/service2.m3u8?dvrMode=true"`,
      `NAME="Teletext 888",${flags},URI="p/s/teletext888.m3u8?dvrMode=true"`,
    ].map((attributes) => `#EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="captions",${attributes}`),
  );
  const stream = lines.find((line) => line.startsWith("#EXT-X-STREAM-INF"));
  expect(stream).toMatch(/BANDWIDTH=2221000,.*SUBTITLES="captions"/); // with 16 kbit/s of text
  expect(render([sound], {}, CAPTIONS)).not.toContain("SUBTITLES");
});
