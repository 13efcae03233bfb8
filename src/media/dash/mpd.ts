import type { Protection } from "../cenc/content-key.ts";
import { protectionBps } from "../cenc/overhead.ts";
import { targetDuration } from "../manifest/bandwidth.ts";
import { rowFormatAt, type RowFormat } from "../manifest/formats.ts";
import { preferredAudio, preferredText, type Presentation, type Rendition, soundNames } from "../manifest/model.ts";
import type { SheetPlan } from "../images/sheet-plan.ts";
import { AAC_FRAME_SAMPLES } from "../mp4/aac.ts";
import { dashBandwidth } from "./bandwidth.ts";
import { CENC_NAMESPACE, contentProtection } from "./content-protection.ts";
import { imageSet, imageSetSeconds } from "./image-set.ts";
import { type Period, periodsOf } from "./periods.ts";
import {
  AUDIO_CHANNELS_SCHEME,
  fractionText,
  isSampleRate,
  pictureAspect,
  soundRoles,
  UNKNOWN_LANGUAGE,
} from "./set-facts.ts";
import { segmentTemplate } from "./segment-template.ts";
import { hasTextFiles, LONGEST_TEXT_SEGMENT_SECONDS, textFile, textPieces, textSet, textTemplate } from "./text-set.ts";
import { element, escapeXml, isoDuration, isoDurationUp, isoEnd } from "./xml.ts";

/** This presentation delay makes players start a growing (dynamic) presentation at its beginning. */
const LONGEST_SECONDS = 12 * 3600;

export interface MpdOptions {
  /** The number in the first segment's file name. */
  firstNumber?: number;
  /** Where a growing MPD is requested again, in the same directory as the MPD; null = at its own URL. */
  location?: string | null;
  /** For encrypted media; null = the media is clear. */
  protection?: Protection | null;
  /** Subtitles of a complete media are segments too, as they were for a player that has loaded the MPD while the media grew. */
  hasTextSegments?: boolean;
  /** The sprite sheet of a complete media; null = none. */
  sheet?: SheetPlan | null;
}

/**
 * The MPD (ISO/IEC 23009-1). Its profile is "ISO Base media file format live", which covers segments in separate files, also for on-demand.
 * Each set of aligned video renditions is an AdaptationSet, because players switch seamlessly only between aligned segments. A recording
 * has a Period per span. The MPD is dynamic while the presentation grows.
 *
 * @param base the path of the renditions, relative to the MPD: the playback ID
 */
export function mpd(presentation: Presentation, base: string, now: Date, more: MpdOptions = {}): string {
  const { firstNumber = 0, location = null, protection = null, hasTextSegments = false } = more;
  const { videoSets, audio, text, isComplete, createdAtMs } = presentation;
  const { periods, endSeconds } = periodsOf(presentation);
  const all = [...videoSets.flat(), ...audio];
  // Its tiles are those of the whole presentation, so it serves a single Period.
  const sheet = isComplete && periods.length === 1 ? (more.sheet ?? null) : null;
  const hasFiles = !hasTextSegments && hasTextFiles(periods, isComplete);
  const longest = Math.max(
    ...all.map(({ segments, timescale }) => largest(segments.durationTicks) / timescale),
    text.length === 0 || hasFiles ? 0 : LONGEST_TEXT_SEGMENT_SECONDS,
    sheet === null ? 0 : imageSetSeconds(sheet),
  );
  const minBufferSeconds = Math.max(...all.map(targetDuration));
  // The maximum must also hold for future segments, whose audio is cut at the frame nearest to the video's cut.
  const maxSegmentSeconds = isComplete ? longest : Math.max(longest, minBufferSeconds + longestFrame(audio));
  const root = {
    xmlns: "urn:mpeg:dash:schema:mpd:2011",
    ...(protection === null ? {} : CENC_NAMESPACE),
    profiles: "urn:mpeg:dash:profile:isoff-live:2011",
    minBufferTime: isoDuration(minBufferSeconds),
    maxSegmentDuration: isoDurationUp(maxSegmentSeconds),
    ...(isComplete
      ? { type: "static", mediaPresentationDuration: isoEnd(endSeconds) }
      : {
          type: "dynamic",
          availabilityStartTime: new Date(createdAtMs).toISOString(),
          publishTime: now.toISOString(),
          minimumUpdatePeriod: "PT1S",
          suggestedPresentationDelay: isoDuration(LONGEST_SECONDS),
        }),
  };
  const adaptationSets = (period: Period) => {
    const isThere = (row: Rendition) => !period.missing.has(row.name);
    const common = {
      presentation,
      protection,
      bandwidth: (row: Rendition) =>
        dashBandwidth(row, minBufferSeconds) + (protection === null ? 0 : protectionBps(row)),
      template: (row: Rendition) => segmentTemplate(row, period, presentation, firstNumber),
      format: (row: Rendition) => rowFormatAt(row, period.spans.get(row.name)!.initVersion),
    };
    const video = videoSets.map((set, n) => ({ set: set.filter(isThere), n }));
    return [
      ...video.flatMap(({ set, n }) => (set.length > 0 ? [videoSet(set, n, common)] : [])),
      ...audio.flatMap((row, n) => (isThere(row) ? [audioSet(row, videoSets.length + n, common)] : [])),
      ...text.map((track, n) => {
        const content = hasFiles
          ? textFile(track, base)
          : textTemplate(track, textPieces(presentation, periods, period));
        return textSet(track, videoSets.length + audio.length + n, preferredText(text), content);
      }),
      ...(sheet === null ? [] : [imageSet(sheet, videoSets.length + audio.length + text.length)]),
    ];
  };
  const clock = isComplete
    ? []
    : [element("UTCTiming", { schemeIdUri: "urn:mpeg:dash:utc:direct:2014", value: now.toISOString() })];
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    element(
      "MPD",
      root,
      `<BaseURL>${escapeXml(base)}/</BaseURL>`,
      ...(isComplete || location === null ? [] : [`<Location>${escapeXml(location)}</Location>`]),
      ...periods.map((period, n) =>
        element("Period", { id: n, start: isoDuration(period.startSeconds) }, ...adaptationSets(period)),
      ),
      ...clock,
    ),
    "",
  ].join("\n");
}

const longestFrame = (audio: Rendition[]) =>
  Math.max(0, ...audio.map(({ timescale }) => AAC_FRAME_SAMPLES / timescale));
const largest = (numbers: number[]) => numbers.reduce((most, one) => Math.max(most, one), 0);

/** Arguments common to the adaptation sets of a Period. */
interface SetContext {
  presentation: Presentation;
  protection: Protection | null;
  bandwidth: (row: Rendition) => number;
  template: (row: Rendition) => string;
  /** In the Period. */
  format: (row: Rendition) => RowFormat;
}

function videoSet(
  set: Rendition[],
  id: number,
  { presentation, protection, bandwidth, template, format }: SetContext,
): string {
  const formats = set.map(format);
  const rates = formats.map(({ frameRateNum, frameRateDen }) => ({ num: frameRateNum ?? 0, den: frameRateDen ?? 1 }));
  const representations = set.map((row, n) =>
    element(
      "Representation",
      {
        id: row.name,
        codecs: formats[n]!.codec,
        bandwidth: bandwidth(row),
        width: formats[n]!.widthPx,
        height: formats[n]!.heightPx,
        frameRate: fractionText(rates[n]!),
        sar: "1:1",
      },
      template(row),
    ),
  );
  return element(
    "AdaptationSet",
    {
      id,
      contentType: "video",
      mimeType: "video/mp4",
      par: pictureAspect(formats),
      maxWidth: Math.max(...formats.map(({ widthPx }) => widthPx ?? 0)),
      maxHeight: Math.max(...formats.map(({ heightPx }) => heightPx ?? 0)),
      maxFrameRate: fractionText(rates.toSorted((a, b) => b.num / b.den - a.num / a.den)[0]!),
      segmentAlignment: true,
      startWithSAP: 1,
      // The source has the higher quality, so it gets the higher priority while it is listed together with the ladder.
      selectionPriority: presentation.videoSets.length > 1 ? presentation.videoSets.length - id : null,
    },
    ...contentProtection(protection),
    element("Role", { schemeIdUri: "urn:mpeg:dash:role:2011", value: id === 0 ? "main" : "alternate" }),
    ...representations,
  );
}

function audioSet(
  row: Rendition,
  id: number,
  { presentation, protection, bandwidth, template, format }: SetContext,
): string {
  const isMain = row === preferredAudio(presentation.audio);
  return element(
    "AdaptationSet",
    {
      id,
      contentType: "audio",
      mimeType: "audio/mp4",
      lang: row.languageCode || UNKNOWN_LANGUAGE,
      segmentAlignment: true,
      startWithSAP: 1,
    },
    // The schema requires every ContentProtection before the first Label, and every Label before the first Role.
    ...contentProtection(protection),
    `<Label>${escapeXml(soundNames(presentation.audio)[presentation.audio.indexOf(row)]!)}</Label>`,
    ...soundRoles(isMain, row.isDescription),
    element(
      "Representation",
      {
        id: row.name,
        codecs: format(row).codec,
        bandwidth: bandwidth(row),
        audioSamplingRate: isSampleRate(row.timescale) ? row.timescale : null,
      },
      element("AudioChannelConfiguration", { schemeIdUri: AUDIO_CHANNELS_SCHEME, value: row.channels ?? 2 }),
      template(row),
    ),
  );
}
