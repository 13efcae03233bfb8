/** Adaptation sets of pictures and sound in the MPD of a live session (ISO/IEC 23009-1). Pure. */
import type { Protection } from "../cenc/content-key.ts";
import { liveProtectionBps } from "../cenc/overhead.ts";
import { contentProtection } from "../dash/content-protection.ts";
import { timeline } from "../dash/segment-template.ts";
import { AUDIO_CHANNELS_SCHEME, fractionText, pictureAspect } from "../dash/set-facts.ts";
import { element } from "../dash/xml.ts";
import { durations, type Listed, type ListedSegment, type MpdPeriod } from "./mpd-periods.ts";
import { formatAt, frameRateOf } from "../manifest/formats.ts";
import type { LiveFormat } from "./origin-facts.ts";
import { liveSound } from "./sounds.ts";
import { type LiveRendition, type LiveTiming, measuredBitrate, segmentAt } from "./timeline.ts";

const OVERHEAD = 1.05; // container overhead

/** What the sets of a session have in common. */
export interface SetContext {
  /** Channels of audio that does not say them. */
  channels: number;
  /** URL of the clock for UTCTiming. */
  clockUri: string;
  timing: LiveTiming;
  /** For encrypted media. */
  protection?: Protection | null;
}

/** @param about elements that say what it is @param lang of sound; null of a picture */
export function adaptationSet(
  id: number,
  set: Listed[],
  period: MpdPeriod,
  session: SetContext,
  about: string[],
  lang: string | null = null,
): string {
  const { channels, clockUri, timing, protection = null } = session;
  const kind = lang === null ? "video" : "audio";
  const listed = set.map((one) => ({ ...one, ...formatOf(one, period) }));
  return element(
    "AdaptationSet",
    {
      id,
      contentType: kind,
      mimeType: `${kind}/mp4`,
      ...(kind === "video" ? pictureFacts(listed) : { lang }),
      segmentAlignment: true,
      startWithSAP: 1,
    },
    ...contentProtection(protection),
    ...about,
    ...listed.map(({ rendition: { facts, live }, segments, format, initVersion }) =>
      element(
        "Representation",
        {
          id: facts.name,
          codecs: format.codec,
          // A copied source may exceed its announced rate, so the measured rate counts too.
          bandwidth:
            Math.ceil(Math.max(format.bitrateBps * OVERHEAD, measuredBitrate(live))) +
            (protection === null ? 0 : liveProtectionBps(facts.kind)),
          ...(kind === "video"
            ? { width: format.widthPx, height: format.heightPx, frameRate: rateText(format, live), sar: "1:1" }
            : { audioSamplingRate: facts.timescale }),
        },
        ...(kind === "audio"
          ? [
              element("AudioChannelConfiguration", {
                schemeIdUri: AUDIO_CHANNELS_SCHEME,
                value: liveSound(facts, channels).channels,
              }),
            ]
          : []),
        producerTime(period, { timescale: live.timescale, clockUri, inband: true }),
        segmentTemplate(live, segments, initVersion, period, timing),
      ),
    ),
  );
}

/** The init segment that a rendition has in a Period. Before its first segment there has arrived, it is that of the others. */
function formatOf({ rendition: { live, formats }, segments }: Listed, period: MpdPeriod) {
  const initVersion = segmentAt(live, segments[0]!.msn)?.initVersion ?? period.initVersion;
  return { initVersion, format: formatAt(formats, initVersion) };
}

function pictureFacts(set: (Listed & { format: LiveFormat })[]) {
  const sizes = set.map(({ format }) => format);
  const fastest = set.toSorted((a, b) => (b.format.frameRate ?? 0) - (a.format.frameRate ?? 0))[0]!;
  return {
    par: pictureAspect(sizes),
    maxWidth: Math.max(...sizes.map(({ widthPx }) => widthPx ?? 0)),
    maxHeight: Math.max(...sizes.map(({ heightPx }) => heightPx ?? 0)),
    maxFrameRate: rateText(fastest.format, fastest.rendition.live),
  };
}

/** Capture time. @param inband also in the media's `prft` boxes */
export const producerTime = (
  { mediaSeconds, capturedAtMs }: MpdPeriod,
  { timescale, clockUri, inband }: { timescale: number; clockUri: string; inband: boolean },
) =>
  element(
    "ProducerReferenceTime",
    {
      id: 0,
      inband,
      type: "captured",
      wallClockTime: new Date(capturedAtMs).toISOString(),
      presentationTime: Math.round(mediaSeconds * timescale),
    },
    element("UTCTiming", { schemeIdUri: "urn:mpeg:dash:utc:http-iso:2014", value: clockUri }),
  );

function segmentTemplate(
  live: LiveRendition,
  segments: ListedSegment[],
  initVersion: number,
  period: MpdPeriod,
  timing: LiveTiming,
): string {
  const { timescale } = live;
  const [first] = segments;
  return element(
    "SegmentTemplate",
    {
      timescale,
      presentationTimeOffset: Math.round(period.mediaSeconds * timescale),
      startNumber: first!.msn,
      ...availability(live, timing),
      initialization: `$RepresentationID$/init-${initVersion}.mp4`,
      media: "$RepresentationID$/$Number$.m4s",
    },
    element("SegmentTimeline", {}, ...timeline(durations(segments), first!.startTicks)),
  );
}

/** With low latency, a segment can be requested once its first part is available. */
export const availability = ({ hasEnded }: LiveRendition, { partTargetMs, targetDurationSeconds }: LiveTiming) =>
  partTargetMs === null || hasEnded
    ? {}
    : {
        availabilityTimeOffset: Number((targetDurationSeconds - partTargetMs / 1000).toFixed(3)),
        availabilityTimeComplete: false,
      };

const rateText = ({ frameRate }: LiveFormat, { timescale }: LiveRendition): string | null =>
  frameRate === null ? null : fractionText(frameRateOf(frameRate, timescale));
