import { CENC_NAMESPACE } from "../dash/content-protection.ts";
import { soundRoles } from "../dash/set-facts.ts";
import { AAC_FRAME_SAMPLES } from "../mp4/aac.ts";
import { element, escapeXml, isoDuration, isoDurationUp, isoEnd } from "../dash/xml.ts";
import type { CaptionChannel } from "./captions.ts";
import { captionSets } from "./mpd-captions.ts";
import { liveSound, soundLabels } from "./sounds.ts";
import {
  type Listed,
  listedSegments,
  type MpdPeriod,
  type MpdRendition,
  type PeriodOrigin,
  periodsOf,
  zeroMsOf,
} from "./mpd-periods.ts";
import { adaptationSet, type SetContext } from "./mpd-sets.ts";
import { type LiveRendition, type LiveTiming, segmentSeconds, windowed } from "./timeline.ts";

/** Target latency with low latency: this many parts, and at least `LEAST_LATENCY_MS`. */
const LATENCY_PARTS = 3;
const LEAST_LATENCY_MS = 1200;
const STANDARD_TARGETS = 3;

export interface LiveMpd extends SetContext {
  renditions: MpdRendition[];
  /** Null = from the renditions' first segment on. */
  windowSeconds: number | null;
  /** With `windowSeconds` null: older segments have been removed. */
  isCut?: boolean;
  /** Null = every Period since the beginning of the session is retained. */
  origin?: PeriodOrigin | null;
  /** BaseURL of the renditions. Some players resolve it against `location`, which is in the same directory as the MPD. */
  base: string;
  /** URL of the MPD for reloads. */
  location: string;
  nowMs: number;
  /**
   * Omits `type` once the session has ended; "static" is its default. libavformat cannot parse an MPD without `type`, and then plays the
   * segments it already has to the end. With an MPD it can parse, it requests a last segment shorter than 1 s repeatedly.
   */
  omitsType?: boolean;
  /** Channels of captions that have shown text. */
  captions?: readonly CaptionChannel[];
}

/**
 * The MPD of a live session (ISO/IEC 23009-1, profile "live"; low latency as in DASH-IF "Low-latency Modes for DASH"): dynamic while the
 * session is on air, static when it has ended.
 *
 * @returns null before the first playable segment
 */
export function liveMpd(session: LiveMpd): string | null {
  const { renditions, timing, base, location, clockUri, windowSeconds, nowMs } = session;
  const { origin = null } = session;
  const periods = periodsOf(renditions, origin);
  const [first] = periods;
  if (first === undefined) return null;
  const hasEnded = renditions.every(({ live }) => live.hasEnded);
  const { targetDurationSeconds } = timing;
  const shown = periods.map((period) => periodElement(period, session)).filter((text) => text !== null);
  if (shown.length === 0) return null;
  const end = periods.at(-1)!;
  const root = {
    xmlns: "urn:mpeg:dash:schema:mpd:2011",
    ...(session.protection ? CENC_NAMESPACE : {}),
    profiles: "urn:mpeg:dash:profile:isoff-live:2011",
    minBufferTime: isoDuration(timing.partTargetMs === null ? targetDurationSeconds : timing.partTargetMs / 1000),
    maxSegmentDuration: isoDurationUp(maxSegmentSeconds(session)),
    ...(hasEnded
      ? {
          type: session.omitsType ? null : "static",
          mediaPresentationDuration: isoEnd(end.startSeconds + end.durationSeconds!),
        }
      : {
          type: "dynamic",
          availabilityStartTime: new Date(origin?.zeroMs ?? zeroMsOf(first.capturedAtMs)).toISOString(),
          publishTime: new Date(nowMs).toISOString(),
          minimumUpdatePeriod: isoDuration(timing.partTargetMs === null ? targetDurationSeconds / 2 : 1),
          timeShiftBufferDepth: windowSeconds === null && !session.isCut ? null : isoDuration(depthSeconds(session)),
          suggestedPresentationDelay: isoDuration(delaySeconds(session)),
        }),
  };
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    element(
      "MPD",
      root,
      `<BaseURL>${escapeXml(base)}</BaseURL>`,
      ...(hasEnded ? [] : [`<Location>${escapeXml(location)}</Location>`]),
      ...(hasEnded ? [] : [latencyTarget(timing)]),
      ...shown,
      ...(hasEnded ? [] : [element("UTCTiming", { schemeIdUri: "urn:mpeg:dash:utc:http-iso:2014", value: clockUri })]),
    ),
    "",
  ].join("\n");
}

/**
 * The longest segment duration that the session may list, now or later. Video keeps to the target, or slightly exceeds it at fractional
 * frame rates; audio is cut at the frame nearest to the video's cut.
 */
function maxSegmentSeconds({ renditions, timing }: LiveMpd): number {
  const listed = renditions.map(({ live: { segments, timescale } }) =>
    segments.reduce((most, segment) => Math.max(most, segmentSeconds(segment, timescale)), 0),
  );
  const frames = renditions.map(({ facts }) => (facts.kind === "audio" ? AAC_FRAME_SAMPLES / facts.timescale : 0));
  return Math.max(timing.targetDurationSeconds + Math.max(0, ...frames), ...listed);
}

/** Depth of the window, limited by the shortest list of the segments that renditions have had from its beginning on. */
function depthSeconds({ windowSeconds, renditions }: LiveMpd): number {
  if (windowSeconds !== null) return windowSeconds;
  const firstMsn = Math.min(...renditions.flatMap(({ live }) => live.segments[0]?.msn ?? []));
  const isWhole = ({ live }: MpdRendition) => live.segments.length > 0 && live.firstMsn <= firstMsn; // others were added later
  const whole = renditions.filter(isWhole);
  return Math.floor(
    Math.min(...whole.map(({ live }) => live.segments.reduce((sum, s) => sum + segmentSeconds(s, live.timescale), 0))),
  );
}

const latencyMs = ({ partTargetMs, targetDurationSeconds }: LiveTiming): number =>
  partTargetMs === null
    ? STANDARD_TARGETS * targetDurationSeconds * 1000
    : Math.max(LEAST_LATENCY_MS, LATENCY_PARTS * partTargetMs);

/**
 * For players that ignore the latency target and wait for whole segments. Shaka plays nearer to the edge, but has the captions of a segment when it is
 * complete: without the last half of a segment, it would show none at the beginning of each.
 */
function delaySeconds({ timing, captions = [] }: LiveMpd): number {
  const { partTargetMs, targetDurationSeconds } = timing;
  const waitedFor = partTargetMs === null ? 0 : targetDurationSeconds;
  return latencyMs(timing) / 1000 + waitedFor * (captions.length > 0 ? 1.5 : 1);
}

/** Without `max`: with it, dash.js would move viewers to the live edge after they have seeked back in time. */
function latencyTarget(timing: LiveTiming): string {
  const target = latencyMs(timing);
  return element(
    "ServiceDescription",
    { id: 0 },
    element("Latency", { target, min: Math.round(target * 0.75) }),
    element("PlaybackRate", { min: 0.96, max: 1.04 }),
  );
}

/** @returns null when no segment of it is in the window */
function periodElement(period: MpdPeriod, session: LiveMpd): string | null {
  const { timing, windowSeconds } = session;
  const listed = period.renditions.map((rendition) => ({
    rendition,
    segments: listedSegments(rendition, period, firstListed(rendition.live, timing, windowSeconds), timing),
  }));
  const there = listed.filter(({ segments }) => segments.length > 0);
  // A finished Period leaves the window as soon as one rendition has left, because players need video with its last audio.
  if (there.length === 0 || (period.untilMsn !== null && there.length < listed.length)) return null;
  const video = there.filter(({ rendition }) => rendition.facts.kind === "video");
  const sounds = session.renditions.filter(({ facts }) => facts.kind === "audio");
  return element(
    "Period",
    {
      id: `p${period.firstMsn}`,
      start: isoDuration(period.startSeconds),
      duration: period.durationSeconds === null ? null : isoDuration(period.durationSeconds),
    },
    ...(video.length > 0 ? [adaptationSet(0, video, period, session, ROLE_OF_VIDEO)] : []),
    ...soundSets(sounds, there, period, session),
    ...captionSets(video, sounds.length + 1, period, session),
  );
}

/** One set for each sound of the session that the Period has. The id of a set is the same in all Periods. */
function soundSets(sounds: MpdRendition[], there: Listed[], period: MpdPeriod, session: LiveMpd): string[] {
  const listed = sounds.flatMap(({ facts }, n) => {
    const one = there.find(({ rendition }) => rendition.facts.name === facts.name);
    return one === undefined ? [] : [{ one, id: n + 1, ...liveSound(facts, session.channels) }];
  });
  return soundLabels(listed).map(({ languageCode, label, isPreferred, isDescription }, n) => {
    const { id, one } = listed[n]!;
    // The label of a single sound says no more than its language.
    const labels = sounds.length > 1 || languageCode !== "und" ? [`<Label>${escapeXml(label)}</Label>`] : [];
    const about = [...labels, ...soundRoles(isPreferred, isDescription)];
    return adaptationSet(id, [one], period, session, about, languageCode);
  });
}

const ROLE_OF_VIDEO = [element("Role", { schemeIdUri: "urn:mpeg:dash:role:2011", value: "main" })];

const firstListed = (live: LiveRendition, timing: LiveTiming, windowSeconds: number | null): number =>
  windowed(live, timing, windowSeconds).segments[0]?.msn ?? live.firstMsn;
