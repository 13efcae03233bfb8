import { protectionBps } from "../cenc/overhead.ts";
import { averageBitrate, peakBitrate, peakOf } from "../manifest/bandwidth.ts";
import { largestOf, rowFormats, type RowFormat } from "../manifest/formats.ts";
import {
  preferredAudio,
  preferredText,
  type Presentation,
  type Rendition,
  type TextTrack,
  soundNames,
} from "../manifest/model.ts";
import { quoted, tag } from "./attributes.ts";
import { keyframesOf } from "./iframe-playlist.ts";

/** The URI of a rendition's playlist. */
type Locate = (name: string) => string;

const GROUP = "audio";
const TEXT_GROUP = "text";

/**
 * The multivariant playlist (RFC 8216 §4.3.4): video renditions as variants that share one audio group.
 * @param base the path of the renditions, relative to this playlist: the playback ID
 * @param query appended to every playlist URI: "?…" or ""
 * @param isProtected encrypted media has no I-frame playlists: encryption moves the byte ranges of key frames
 */
export function multivariantPlaylist(
  presentation: Presentation,
  base: string,
  query = "",
  isProtected = false,
): string {
  const locate: Locate = (name) => `${base}/${name}.m3u8${query}`;
  const { videoSets, audio, text, isComplete } = presentation;
  const video = videoSets.flat();
  return [
    "#EXTM3U",
    "#EXT-X-VERSION:7",
    "#EXT-X-INDEPENDENT-SEGMENTS",
    ...(isComplete ? [] : ["#EXT-X-START:TIME-OFFSET=0"]),
    ...audioGroup(audio, locate, video.length > 0),
    ...textGroup(text, (id) => `${base}/text/${id}.m3u8${query}`),
    ...(video.length > 0
      ? video.flatMap((row) => videoVariant(row, presentation, locate, isProtected))
      : audioVariant(presentation, locate, isProtected)),
    ...(isProtected ? [] : video.flatMap((row) => iframeVariant(row, base))),
    "",
  ].join("\n");
}

/** A single audio rendition without video is a variant itself and needs no group. */
function audioGroup(audio: Rendition[], locate: Locate, hasVideo: boolean): string[] {
  if (!hasVideo && audio.length < 2) return [];
  const names = soundNames(audio);
  const preferred = preferredAudio(audio);
  return audio.map((row, n) =>
    tag("EXT-X-MEDIA", {
      TYPE: "AUDIO",
      "GROUP-ID": quoted(GROUP),
      NAME: quoted(names[n]!),
      LANGUAGE: row.languageCode && row.languageCode !== "und" ? quoted(row.languageCode) : null,
      DEFAULT: row === preferred ? "YES" : "NO",
      AUTOSELECT: "YES",
      CHARACTERISTICS: row.isDescription ? quoted(DESCRIPTION_CHARACTERISTICS) : null,
      CHANNELS: quoted(String(row.channels ?? 2)),
      URI: quoted(locate(row.name)),
    }),
  );
}

/** What the subtitles of one language add to the rate of a variant. */
const textRates = (text: TextTrack[]) => ({
  peak: Math.max(0, ...text.map(({ peakBps }) => peakBps)),
  average: Math.max(0, ...text.map(({ averageBps }) => averageBps)),
});

/** For viewers who do not hear the sound (HLS Authoring Specification, 4.5). */
export const CAPTION_CHARACTERISTICS =
  "public.accessibility.transcribes-spoken-dialog,public.accessibility.describes-music-and-sound";

/** For viewers who do not see the picture (RFC 8216 §4.3.4.1). */
export const DESCRIPTION_CHARACTERISTICS = "public.accessibility.describes-video";

/** The subtitle renditions (RFC 8216 §4.3.4.1). Players select none without a choice of the viewer, except the default one. */
function textGroup(text: TextTrack[], locate: Locate): string[] {
  const names = new Map<string, number>();
  const preferred = preferredText(text);
  return text.map((track) => {
    const seen = (names.get(track.name) ?? 0) + 1;
    names.set(track.name, seen);
    return tag("EXT-X-MEDIA", {
      TYPE: "SUBTITLES",
      "GROUP-ID": quoted(TEXT_GROUP),
      NAME: quoted(seen === 1 ? track.name : `${track.name} ${seen}`), // names are unique within a group
      LANGUAGE: track.languageCode === "und" ? null : quoted(track.languageCode),
      DEFAULT: track === preferred ? "YES" : "NO",
      AUTOSELECT: "YES",
      FORCED: track.isForced ? "YES" : "NO",
      CHARACTERISTICS: track.isClosedCaptions ? quoted(CAPTION_CHARACTERISTICS) : null,
      URI: quoted(locate(track.id)),
    });
  });
}

function videoVariant(row: Rendition, { audio, text }: Presentation, locate: Locate, isProtected: boolean): string[] {
  const { peak, average } = bitrates(isProtected);
  const formats = rowFormats(row);
  const largest = largestOf(formats);
  return [
    tag("EXT-X-STREAM-INF", {
      BANDWIDTH: peak(row) + Math.max(0, ...audio.map(peak)) + textRates(text).peak,
      "AVERAGE-BANDWIDTH": average(row) + Math.max(0, ...audio.map(average)) + textRates(text).average,
      CODECS: quoted(codecsOf([row, ...audio])),
      RESOLUTION: `${largest.widthPx}x${largest.heightPx}`,
      "FRAME-RATE": Math.max(...formats.map(rateOf)).toFixed(3),
      "CLOSED-CAPTIONS": "NONE",
      AUDIO: audio.length > 0 ? quoted(GROUP) : null,
      SUBTITLES: text.length > 0 ? quoted(TEXT_GROUP) : null,
    }),
    locate(row.name),
  ];
}

/** Every format in their playlists, once (RFC 8216bis §4.4.6.2). */
const codecsOf = (rows: Rendition[]): string =>
  [...new Set(rows.flatMap((row) => rowFormats(row).map(({ codec }) => codec)))].join(",");

const rateOf = ({ frameRateNum, frameRateDen }: RowFormat): number => (frameRateNum ?? 0) / (frameRateDen ?? 1);

const bitrates = (isProtected: boolean) => ({
  peak: (row: Rendition) => peakBitrate(row) + (isProtected ? protectionBps(row) : 0),
  average: (row: Rendition) => averageBitrate(row) + (isProtected ? protectionBps(row) : 0),
});

function audioVariant({ audio, text }: Presentation, locate: Locate, isProtected: boolean): string[] {
  const { peak, average } = bitrates(isProtected);
  const first = preferredAudio(audio);
  if (first === undefined) return [];
  return [
    tag("EXT-X-STREAM-INF", {
      BANDWIDTH: Math.max(...audio.map(peak)) + textRates(text).peak,
      "AVERAGE-BANDWIDTH": Math.max(...audio.map(average)) + textRates(text).average,
      CODECS: quoted(codecsOf(audio)),
      AUDIO: audio.length > 1 ? quoted(GROUP) : null,
      SUBTITLES: text.length > 0 ? quoted(TEXT_GROUP) : null,
    }),
    locate(first.name),
  ];
}

function iframeVariant(row: Rendition, base: string): string[] {
  const keyframes = keyframesOf(row, row.segments.bytes.length);
  if (keyframes === null) return [];
  return [
    tag("EXT-X-I-FRAME-STREAM-INF", {
      BANDWIDTH: peakOf(keyframes.durationTicks, keyframes.bytes, row.timescale, 4),
      CODECS: quoted(row.codec),
      RESOLUTION: `${row.widthPx}x${row.heightPx}`,
      URI: quoted(`${base}/${row.name}/iframes.m3u8`),
    }),
  ];
}
