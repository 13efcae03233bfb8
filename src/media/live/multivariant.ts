import type { MediaFormat } from "../../../protocol/init-facts.ts";
import type { SoundFacts } from "../../../protocol/live.ts";
import { liveProtectionBps } from "../cenc/overhead.ts";
import { quoted, tag } from "../hls/attributes.ts";
import { CAPTION_CHARACTERISTICS, DESCRIPTION_CHARACTERISTICS } from "../hls/multivariant.ts";
import { type Selection, selectRungs } from "../manifest/selection.ts";
import { type CaptionChannel, captionLabels, CAPTIONS_BPS } from "./captions.ts";
import { liveSound, soundLabels } from "./sounds.ts";

export interface LiveVariant {
  name: string;
  kind: "video" | "audio";
  widthPx: number | null;
  heightPx: number | null;
  bitrateBps: number; // of the largest segment that the encoder may make
  codec: string; // RFC 6381
  /** All formats of the media in its playlist; absent = that of the variant, with an unknown frame rate. */
  formats?: MediaFormat[];
  /** Absent of a picture, and in sessions from before broadcasts had several sounds. */
  sound?: SoundFacts | undefined;
}

const GROUP = "audio";
const TEXT_GROUP = "captions";
/** Container overhead. */
const OVERHEAD = 1.05;

export const MAX_CHANNELS = 2;
/** The encoder produces mono or stereo, and stereo for a source with unknown channels. */
export const encodedChannels = (sourceChannels: number): number =>
  Math.min(sourceChannels, MAX_CHANNELS) || MAX_CHANNELS;

export interface LiveOffer {
  /** Each with the size of its largest format. */
  variants: LiveVariant[];
  /** Channels of encoded audio that does not say them; null = unknown. */
  channels: number | null;
  /** Peak bit rate so far, by rendition. */
  measuredBps: Record<string, number>;
  /** Channels of captions that have shown text. */
  captions: CaptionChannel[];
}

/**
 * The multivariant playlist of a live session. Picture and sound are complete from the first response, because they are known before the
 * first part. Captions are listed once they have shown text.
 *
 * @param base the path of the renditions, relative to this playlist
 * @param query of the renditions' playlist URIs: "" or "?dvrMode=true"
 * @param isProtected whether viewers get encrypted media, which is a little larger
 */
export function liveMultivariant(
  offer: LiveOffer,
  selection: Selection,
  base: string,
  query = "",
  isProtected = false,
): string {
  const { variants, channels, captions } = offer;
  const audio = variants.filter(({ kind, sound }) => kind === "audio" && sound?.isAbsent !== true);
  const video = variants.filter(({ kind }) => kind === "video").toSorted((a, b) => b.bitrateBps - a.bitrateBps);
  const peak = (one: LiveVariant) => peakBps(one, offer) + (isProtected ? liveProtectionBps(one.kind) : 0);
  const soundPeakBps = Math.max(0, ...audio.map(peak));
  const textBps = captions.length > 0 ? CAPTIONS_BPS : 0;
  const sounds = soundLabels(audio.map((one) => liveSound(one, channels)));
  // A single sound without a picture is a variant itself and needs no group.
  const hasSoundGroup = video.length > 0 || sounds.length > 1;
  const mainSound = sounds.find(({ isPreferred }) => isPreferred);
  const streams =
    video.length > 0 ? selectRungs(video, selection) : audio.filter(({ name }) => name === mainSound?.name);
  return [
    "#EXTM3U",
    "#EXT-X-VERSION:6",
    "#EXT-X-INDEPENDENT-SEGMENTS",
    ...(hasSoundGroup ? sounds.map((sound) => audioTag(sound, `${base}/${sound.name}.m3u8${query}`)) : []),
    ...(video.length > 0
      ? captionLabels(captions).map((channel) => captionsTag(channel, `${base}/${channel.name}.m3u8${query}`))
      : []),
    ...streams.flatMap((stream) => [
      tag("EXT-X-STREAM-INF", {
        BANDWIDTH: Math.ceil(peak(stream) + (stream.kind === "video" ? soundPeakBps + textBps : 0)),
        CODECS: quoted([...new Set([stream, ...audio].flatMap(codecsOf))].join(",")),
        RESOLUTION: stream.widthPx === null ? null : `${stream.widthPx}x${stream.heightPx}`,
        "FRAME-RATE": stream.kind === "video" ? frameRateOf(stream)?.toFixed(3) : null,
        AUDIO: hasSoundGroup && audio.length > 0 ? quoted(GROUP) : null,
        SUBTITLES: stream.kind === "video" && captions.length > 0 ? quoted(TEXT_GROUP) : null,
        "CLOSED-CAPTIONS": stream.kind === "video" ? "NONE" : null,
      }),
      `${base}/${stream.name}.m3u8${query}`,
    ]),
    "",
  ].join("\n");
}

const codecsOf = ({ codec, formats = [] }: LiveVariant): string[] =>
  formats.length > 0 ? formats.map((format) => format.codec) : [codec];

/** The highest one (RFC 8216bis §4.4.6.2); null = unknown. */
const frameRateOf = ({ formats = [] }: LiveVariant): number | null =>
  Math.max(0, ...formats.map(({ frameRate }) => frameRate ?? 0)) || null;

const captionsTag = ({ label, languageCode, isSubtitle }: ReturnType<typeof captionLabels>[number], uri: string) =>
  tag("EXT-X-MEDIA", {
    TYPE: "SUBTITLES",
    "GROUP-ID": quoted(TEXT_GROUP),
    NAME: quoted(label),
    LANGUAGE: languageCode === "und" ? null : quoted(languageCode),
    DEFAULT: "NO",
    AUTOSELECT: "YES",
    FORCED: "NO",
    CHARACTERISTICS: isSubtitle === true ? null : quoted(CAPTION_CHARACTERISTICS),
    URI: quoted(uri),
  });

/** The peak segment bit rate (RFC 8216bis §4.4.6.2). A copied source may exceed its announced rate, so the measured rate counts too. */
const peakBps = ({ name, bitrateBps }: LiveVariant, { measuredBps }: LiveOffer): number =>
  Math.max(bitrateBps * OVERHEAD, measuredBps[name] ?? 0);

const audioTag = (sound: ReturnType<typeof soundLabels>[number], uri: string) =>
  tag("EXT-X-MEDIA", {
    TYPE: "AUDIO",
    "GROUP-ID": quoted(GROUP),
    NAME: quoted(sound.label), // as in the recording
    LANGUAGE: sound.languageCode === "und" ? null : quoted(sound.languageCode),
    DEFAULT: sound.isPreferred ? "YES" : "NO",
    AUTOSELECT: "YES",
    CHARACTERISTICS: sound.isDescription ? quoted(DESCRIPTION_CHARACTERISTICS) : null,
    CHANNELS: sound.channels === null ? null : quoted(String(sound.channels)),
    URI: quoted(uri),
  });
