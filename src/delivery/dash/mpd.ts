import { peakBitrate, targetDuration } from "../bandwidth.ts";
import { type Presentation, type Rendition, trackLabel } from "../model.ts";
import { type Period, periodsOf } from "./periods.ts";
import { segmentTemplate } from "./segment-template.ts";
import { element, escapeXml, isoDuration, isoEnd } from "./xml.ts";

/** A delay of this much puts a player at the beginning of what it takes for a live stream. */
const LONGEST_SECONDS = 12 * 3600;

/**
 * The MPD (ISO/IEC 23009-1), profile "ISO Base media file format live", as that is what segments in files of their own
 * are called, also for on-demand. Each set of pictures is an adaptation set of its own: a player changes seamlessly only
 * between renditions whose segments begin together. What was broadcast has a period for each stretch without a break. While the
 * presentation grows the MPD is dynamic.
 *
 * @param base where the renditions are, relative to the MPD: the playback id
 * @param firstNumber what the first segment is called
 */
export function mpd(presentation: Presentation, base: string, now: Date, firstNumber = 0): string {
  const { videoSets, audio, isComplete, createdAtMs } = presentation;
  const { periods, endSeconds } = periodsOf(presentation);
  const all = [...videoSets.flat(), ...audio];
  const longest = Math.max(...all.map(({ segments, timescale }) => Math.max(...segments.durationTicks) / timescale));
  const root = {
    xmlns: "urn:mpeg:dash:schema:mpd:2011",
    profiles: "urn:mpeg:dash:profile:isoff-live:2011",
    minBufferTime: isoDuration(Math.max(...all.map(targetDuration))),
    maxSegmentDuration: isoDuration(longest),
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
    const template = (row: Rendition) => segmentTemplate(row, period, presentation, firstNumber);
    const video = videoSets.map((set, n) => ({ set: set.filter(isThere), n }));
    return [
      ...video.flatMap(({ set, n }) => (set.length > 0 ? [videoSet(set, n, presentation, template)] : [])),
      ...audio.flatMap((row, n) =>
        isThere(row) ? [audioSet(row, videoSets.length + n, n === 0, presentation, template)] : [],
      ),
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
      ...periods.map((period, n) =>
        element("Period", { id: n, start: isoDuration(period.startSeconds) }, ...adaptationSets(period)),
      ),
      ...clock,
    ),
    "",
  ].join("\n");
}

type Template = (row: Rendition) => string;

function videoSet(set: Rendition[], id: number, presentation: Presentation, template: Template): string {
  const representations = set.map((row) =>
    element(
      "Representation",
      {
        id: row.name,
        codecs: row.codec,
        bandwidth: peakBitrate(row),
        width: row.widthPx,
        height: row.heightPx,
        frameRate: row.frameRateDen === 1 ? row.frameRateNum : `${row.frameRateNum}/${row.frameRateDen}`,
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
      segmentAlignment: true,
      startWithSAP: 1,
      maxWidth: Math.max(...set.map(({ widthPx }) => widthPx ?? 0)),
      maxHeight: Math.max(...set.map(({ heightPx }) => heightPx ?? 0)),
      // The source comes first while it stands beside the ladder: it is the better picture.
      selectionPriority: presentation.videoSets.length > 1 ? presentation.videoSets.length - id : null,
    },
    element("Role", { schemeIdUri: "urn:mpeg:dash:role:2011", value: id === 0 ? "main" : "alternate" }),
    ...representations,
  );
}

function audioSet(
  row: Rendition,
  id: number,
  isFirst: boolean,
  presentation: Presentation,
  template: Template,
): string {
  return element(
    "AdaptationSet",
    {
      id,
      contentType: "audio",
      mimeType: "audio/mp4",
      lang: row.languageCode && row.languageCode !== "und" ? row.languageCode : null,
      segmentAlignment: true,
      startWithSAP: 1,
    },
    element("Role", {
      schemeIdUri: "urn:mpeg:dash:role:2011",
      value:
        row.isDefault || (isFirst && !presentation.audio.some(({ isDefault }) => isDefault)) ? "main" : "alternate",
    }),
    `<Label>${escapeXml(trackLabel(row, presentation.audio.indexOf(row)))}</Label>`,
    element(
      "Representation",
      {
        id: row.name,
        codecs: row.codec,
        bandwidth: peakBitrate(row),
        audioSamplingRate: row.origin === "ladder" ? row.timescale : null,
      },
      element("AudioChannelConfiguration", {
        schemeIdUri: "urn:mpeg:dash:23003:3:audio_channel_configuration:2011",
        value: row.channels ?? 2,
      }),
      template(row),
    ),
  );
}
