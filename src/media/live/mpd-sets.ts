/** Adaptation sets of pictures and sound in the MPD of a live session (ISO/IEC 23009-1). Pure. */
import type { Protection } from "../cenc/content-key.ts";
import { liveProtectionBps } from "../cenc/overhead.ts";
import { contentProtection } from "../dash/content-protection.ts";
import { timeline } from "../dash/segment-template.ts";
import { AUDIO_CHANNELS_SCHEME, fractionText, type FrameRate, pictureAspect } from "../dash/set-facts.ts";
import { element } from "../dash/xml.ts";
import { durations, type Listed, type ListedSegment, type MpdPeriod } from "./mpd-periods.ts";
import { liveSound } from "./sounds.ts";
import { type LiveRendition, type LiveTiming, measuredBitrate } from "./timeline.ts";

const OVERHEAD = 1.05; // container overhead

/** What the sets of a session have in common. */
export interface SetContext {
  frameRate: number | null;
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
  const { frameRate, channels, clockUri, timing, protection = null } = session;
  const kind = lang === null ? "video" : "audio";
  return element(
    "AdaptationSet",
    {
      id,
      contentType: kind,
      mimeType: `${kind}/mp4`,
      ...(kind === "video" ? pictureFacts(set, frameRate) : { lang }),
      segmentAlignment: true,
      startWithSAP: 1,
    },
    ...contentProtection(protection),
    ...about,
    ...set.map(({ rendition: { facts, live }, segments }) =>
      element(
        "Representation",
        {
          id: facts.name,
          codecs: facts.codec,
          // A copied source may exceed its announced rate, so the measured rate counts too.
          bandwidth:
            Math.ceil(Math.max(facts.bitrateBps * OVERHEAD, measuredBitrate(live))) +
            (protection === null ? 0 : liveProtectionBps(facts.kind)),
          ...(kind === "video"
            ? { width: facts.widthPx, height: facts.heightPx, frameRate: frameRateText(frameRate), sar: "1:1" }
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
        segmentTemplate(live, segments, period, timing),
      ),
    ),
  );
}

const pictureFacts = (set: Listed[], frameRate: number | null) => {
  const sizes = set.map(({ rendition: { facts } }) => facts);
  return {
    par: pictureAspect(sizes),
    maxWidth: Math.max(...sizes.map(({ widthPx }) => widthPx ?? 0)),
    maxHeight: Math.max(...sizes.map(({ heightPx }) => heightPx ?? 0)),
    maxFrameRate: frameRateText(frameRate),
  };
};

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
  period: MpdPeriod,
  timing: LiveTiming,
): string {
  const { timescale } = live;
  const [first] = segments;
  const initVersion = live.segments[first!.msn - (live.segments[0]?.msn ?? 0)]?.initVersion ?? newestInit(live);
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

const newestInit = (live: LiveRendition) => live.segments.at(-1)?.initVersion ?? 0;

const frameRateText = (frameRate: number | null) => fractionText(frameRateOf(frameRate));

/** 29.97 is 30000/1001. */
function frameRateOf(frameRate: number | null): FrameRate {
  if (frameRate === null) return { num: 0, den: 1 };
  const whole = Math.round(frameRate);
  return Math.abs(frameRate - whole) < 0.005 ? { num: whole, den: 1 } : { num: whole * 1000, den: 1001 };
}
