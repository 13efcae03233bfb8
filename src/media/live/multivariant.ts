import { quoted, tag } from "../hls/attributes.ts";
import { type Selection, selectRungs } from "../manifest/selection.ts";

export interface LiveVariant {
  name: string;
  kind: "video" | "audio";
  widthPx: number | null;
  heightPx: number | null;
  bitrateBps: number; // of the largest segment that the encoder may make
  codec: string; // RFC 6381
}

const GROUP = "audio";
/** What the boxes around the media add. */
const OVERHEAD = 1.05;

const MAX_CHANNELS = 2;
/** The encoder makes mono or stereo; a source that says nothing of its channels becomes stereo. */
export const encodedChannels = (sourceChannels: number): number =>
  Math.min(sourceChannels, MAX_CHANNELS) || MAX_CHANNELS;

export interface LiveOffer {
  variants: LiveVariant[];
  /** Of the pictures, in frames per second; null = not known. */
  frameRate: number | null;
  /** Of the sound as it is encoded; null = not known. */
  channels: number | null;
  /** By rendition: what the largest segment so far has needed. */
  measuredBps: Record<string, number>;
}

/**
 * The multivariant playlist of a live session: complete from its first answer, because a session's renditions are known before its
 * first part.
 *
 * @param base where the renditions are, relative to this playlist
 * @param query that the playlists of the renditions carry: "" or "?dvrMode=true"
 */
export function liveMultivariant(offer: LiveOffer, selection: Selection, base: string, query = "") {
  const { variants, frameRate, channels } = offer;
  const audio = variants.filter(({ kind }) => kind === "audio");
  const video = variants.filter(({ kind }) => kind === "video").toSorted((a, b) => b.bitrateBps - a.bitrateBps);
  const soundPeakBps = Math.max(0, ...audio.map((one) => peakBps(one, offer)));
  const streams = video.length > 0 ? selectRungs(video, selection) : audio;
  return [
    "#EXTM3U",
    "#EXT-X-VERSION:6",
    "#EXT-X-INDEPENDENT-SEGMENTS",
    ...(video.length > 0
      ? audio.map((one, index) => audioTag(one, channels, `${base}/${one.name}.m3u8${query}`, index === 0))
      : []),
    ...streams.flatMap((stream) => [
      tag("EXT-X-STREAM-INF", {
        BANDWIDTH: Math.ceil(peakBps(stream, offer) + (stream.kind === "video" ? soundPeakBps : 0)),
        CODECS: quoted([...new Set([stream.codec, ...audio.map(({ codec }) => codec)])].join(",")),
        RESOLUTION: stream.widthPx === null ? null : `${stream.widthPx}x${stream.heightPx}`,
        "FRAME-RATE": stream.kind === "video" ? frameRate?.toFixed(3) : null,
        AUDIO: stream.kind === "video" && audio.length > 0 ? quoted(GROUP) : null,
        "CLOSED-CAPTIONS": stream.kind === "video" ? "NONE" : null,
      }),
      `${base}/${stream.name}.m3u8${query}`,
    ]),
    "",
  ].join("\n");
}

/** No segment needs more (RFC 8216bis §4.4.6.2). A copied source may go beyond what was expected of it: it is measured. */
const peakBps = ({ name, bitrateBps }: LiveVariant, { measuredBps }: LiveOffer): number =>
  Math.max(bitrateBps * OVERHEAD, measuredBps[name] ?? 0);

const audioTag = ({ name }: LiveVariant, channels: number | null, uri: string, isDefault: boolean) =>
  tag("EXT-X-MEDIA", {
    TYPE: "AUDIO",
    "GROUP-ID": quoted(GROUP),
    NAME: quoted(name),
    DEFAULT: isDefault ? "YES" : "NO",
    AUTOSELECT: "YES",
    CHANNELS: channels === null ? null : quoted(String(channels)),
    URI: quoted(uri),
  });
