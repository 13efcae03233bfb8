/** Labels of a source's streams, and its subtitles. */
import { avGetCodecName, type Stream } from "node-av/lib";
import {
  AVMEDIA_TYPE_SUBTITLE,
  AV_CODEC_ID_DVB_TELETEXT,
  AV_CODEC_ID_EIA_608,
  AV_DISPOSITION_CAPTIONS,
  AV_DISPOSITION_FORCED,
  AV_DISPOSITION_HEARING_IMPAIRED,
  AV_DISPOSITION_VISUAL_IMPAIRED,
} from "node-av/constants";
import {
  type ChannelCodec,
  MAX_SUBTITLE_STREAMS,
  type SourceSubtitles,
  TEXT_CODECS,
  type TextCodec,
} from "../../protocol/source-facts.ts";
import { captionLanguages } from "../../protocol/media/captions/caption-services.ts";
import { CC_CHANNELS, CEA608_CHANNELS } from "../../protocol/media/captions/closed-captions.ts";
import type { Look } from "./look.ts";
import type { OpenSource } from "./source.ts";
import { type SubtitlePage, subtitlePages } from "./teletext-captions.ts";

/** In other containers libav gives packets of other shapes. */
const CONTAINERS = new Set(["mp4", "mov", "matroska", "webm"]);
const SAME_PACKETS: Record<string, TextCodec> = { ssa: "ass", text: "subrip" };

/**
 * The text subtitle streams, in file order, and behind them the channels of captions that the source may carry, which may turn out to be empty.
 * Streams of pictures are left out.
 */
export async function sourceSubtitles(
  source: OpenSource,
  { hasCcData }: Pick<Look, "hasCcData">,
): Promise<SourceSubtitles[]> {
  const { containerFormat, format, video, reader } = source;
  const streams = format.streams.filter(({ codecpar }) => codecpar.codecType === AVMEDIA_TYPE_SUBTITLE);
  const texts = streams.flatMap((stream) => {
    const codec = textCodecOf(stream, containerFormat);
    return codec === null ? [] : [subtitleFacts(stream, codec)];
  });
  const announced = containerFormat === "mpegts" ? captionLanguages(await reader.head()) : new Map<string, string>();
  const inPicture =
    video !== null && hasCcData
      ? CC_CHANNELS.map((channel) => ({
          ...channelFacts(video, "cc_data", channel),
          languageCode: announced.get(channel) ?? (channel === "CC1" ? announced.get("SERVICE1") : undefined) ?? "und",
        }))
      : [];
  const words = streams
    .filter(({ codecpar }) => codecpar.codecId === AV_CODEC_ID_EIA_608)
    .flatMap((stream) =>
      CEA608_CHANNELS.map((channel) => ({
        ...channelFacts(stream, "eia_608", channel),
        languageCode: languageOf(stream),
        title: titleOf(stream),
      })),
    );
  const pages = streams
    .filter(({ codecpar }) => codecpar.codecId === AV_CODEC_ID_DVB_TELETEXT)
    .flatMap((stream) => subtitlePages(stream).map((page) => pageFacts(stream, page)));
  return [...texts, ...inPicture, ...words, ...pages].slice(0, MAX_SUBTITLE_STREAMS);
}

function textCodecOf({ codecpar }: Stream, containerFormat: string): TextCodec | null {
  if (!CONTAINERS.has(containerFormat)) return null;
  const name = avGetCodecName(codecpar.codecId) ?? "";
  const codec = SAME_PACKETS[name] ?? TEXT_CODECS.find((known) => known === name) ?? null;
  const isIso = containerFormat === "mp4" || containerFormat === "mov";
  return isIso === (codec === "mov_text") ? codec : null; // WebVTT in MP4 is in boxes of its own
}

const subtitleFacts = (stream: Stream, codec: TextCodec): SourceSubtitles => ({
  streamIndex: stream.index,
  codec,
  languageCode: languageOf(stream),
  title: titleOf(stream),
  isForced: stream.hasDisposition(AV_DISPOSITION_FORCED),
  isHearingImpaired:
    stream.hasDisposition(AV_DISPOSITION_HEARING_IMPAIRED) || stream.hasDisposition(AV_DISPOSITION_CAPTIONS),
});

/** Facts of captions without labels. The labels of the picture's stream do not apply to them. */
const channelFacts = (stream: Stream, codec: ChannelCodec, channel: string): SourceSubtitles => ({
  streamIndex: stream.index,
  codec,
  channel,
  languageCode: "und",
  title: "",
  isForced: false,
  isHearingImpaired: true,
});

const pageFacts = (stream: Stream, { number, languageCode, isHearingImpaired }: SubtitlePage): SourceSubtitles => ({
  ...channelFacts(stream, "dvb_teletext", number),
  languageCode,
  isHearingImpaired,
});

/** As tagged; "und" when there is no well-formed tag. */
export function languageOf({ metadata }: Stream): string {
  const language = metadata?.get("language") ?? "";
  return /^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$/.test(language) ? language : "und";
}

/** Sound for viewers who do not see the picture, such as `audio_type` 3 of MPEG-TS (ISO/IEC 13818-1 §2.6.19): visual impaired commentary. */
export const isDescription = (stream: Stream): boolean => stream.hasDisposition(AV_DISPOSITION_VISUAL_IMPAIRED);

/** At most 255 characters; "" when there is none. */
export const titleOf = ({ metadata }: Stream): string =>
  (metadata?.get("title") ?? handlerTitle(metadata?.get("handler_name") ?? "")).slice(0, 255);

/** Ignores handler names that muxers write themselves. */
const handlerTitle = (name: string) =>
  /handler|^mainconcept|^apple|^gpac|^iso media|^core media|©|^\W*$/i.test(name) ? "" : name;
