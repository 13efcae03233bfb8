/** Labels of a source's streams, and its text subtitle streams. */
import { avGetCodecName, type Stream } from "node-av/lib";
import {
  AVMEDIA_TYPE_SUBTITLE,
  AV_DISPOSITION_CAPTIONS,
  AV_DISPOSITION_FORCED,
  AV_DISPOSITION_HEARING_IMPAIRED,
} from "node-av/constants";
import { MAX_SUBTITLE_STREAMS, type SourceSubtitles, TEXT_CODECS, type TextCodec } from "../../protocol/jobs.ts";
import type { OpenSource } from "./source.ts";

/** In other containers libav gives packets of other shapes. */
const CONTAINERS = new Set(["mp4", "mov", "matroska", "webm"]);
const SAME_PACKETS: Record<string, TextCodec> = { ssa: "ass", text: "subrip" };

/** The text subtitle streams, in file order. Streams of pictures are left out. */
export function textSubtitles({ containerFormat, format }: OpenSource): SourceSubtitles[] {
  if (!CONTAINERS.has(containerFormat)) return [];
  return format.streams
    .filter(({ codecpar }) => codecpar.codecType === AVMEDIA_TYPE_SUBTITLE)
    .flatMap((stream) => {
      const codec = textCodecOf(stream, containerFormat);
      return codec === null ? [] : [subtitleFacts(stream, codec)];
    })
    .slice(0, MAX_SUBTITLE_STREAMS);
}

function textCodecOf({ codecpar }: Stream, containerFormat: string): TextCodec | null {
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

/** As tagged; "und" when there is no well-formed tag. */
export function languageOf({ metadata }: Stream): string {
  const language = metadata?.get("language") ?? "";
  return /^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$/.test(language) ? language : "und";
}

/** At most 255 characters; "" when there is none. */
export const titleOf = ({ metadata }: Stream): string =>
  (metadata?.get("title") ?? handlerTitle(metadata?.get("handler_name") ?? "")).slice(0, 255);

/** Ignores handler names that muxers write themselves. */
const handlerTitle = (name: string) =>
  /handler|^mainconcept|^apple|^gpac|^iso media|^core media|©|^\W*$/i.test(name) ? "" : name;
