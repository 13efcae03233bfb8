import { AAC_FRAME_SAMPLES } from "../mp4/aac.ts";
import type { LiveFormat, OriginRendition } from "./origin-facts.ts";
import { endTicks, lastWhole, type LiveRendition, type LiveSegment, type LiveTiming, segmentAt } from "./timeline.ts";

/** A rendition of the MPD: its fixed facts and its media so far. */
export interface MpdRendition {
  facts: OriginRendition;
  live: LiveRendition;
  /** In ascending order, at least one. */
  formats: readonly LiveFormat[];
}

/** A Period of the session. No rendition has another Period start within it. Seconds are on the MPD's timeline. */
export interface MpdPeriod {
  firstMsn: number;
  /** The first sequence number after it; null = it continues. */
  untilMsn: number | null;
  startSeconds: number;
  /** Media time at its start, common to audio and video for synchronization. */
  mediaSeconds: number;
  /** Null while it continues. */
  durationSeconds: number | null;
  /** Capture time of its first frame, epoch ms. */
  capturedAtMs: number;
  /** Version of the init segments of all its renditions. */
  initVersion: number;
  renditions: MpdRendition[];
}

/**
 * Start of a session's first Period on the MPD's timeline. Where the timeline and the media's times were equal, Shaka 5.2 would compute the offset of
 * the text from each chunk of the picture, and show captions up to a second early (docs/decisions/0117).
 */
const FIRST_START_SECONDS = 0.001;

/** Second 0 of the MPD's timeline. @param capturedAtMs of the session's first frame */
export const zeroMsOf = (capturedAtMs: number): number => capturedAtMs - 1000 * FIRST_START_SECONDS;

/** Start of the oldest retained Period after older ones have been dropped. */
export interface PeriodOrigin {
  firstMsn: number;
  startSeconds: number;
  mediaSeconds: number;
  /** Second 0 of the MPD's timeline, epoch ms. */
  zeroMs: number;
}

/**
 * The session's Periods from its first segment on. After a discontinuity a Period starts at its capture time. Other Periods start exactly where the
 * previous one ended.
 */
export function periodsOf(renditions: MpdRendition[], origin: PeriodOrigin | null = null): MpdPeriod[] {
  const known = renditions.flatMap(({ live }) => live.periodStarts).filter((msn) => msn >= (origin?.firstMsn ?? 0));
  const periodStarts = [...new Set(origin === null ? known : [origin.firstMsn, ...known])].toSorted((a, b) => a - b);
  const periods: MpdPeriod[] = [];
  for (const [index, firstMsn] of periodStarts.entries()) {
    const here = renditions.filter(({ live }) => isPlayed(live, firstMsn));
    const leader = here.find(({ live }) => segmentAt(live, firstMsn) !== null);
    if (leader === undefined) continue; // no rendition has this segment (yet)
    const segment = segmentAt(leader.live, firstMsn)!;
    const mediaSeconds = segment.decodeTicks / leader.live.timescale;
    const untilMsn = periodStarts[index + 1] ?? null;
    periods.push({
      firstMsn,
      untilMsn,
      startSeconds: startOf(periods, segment, mediaSeconds, origin),
      mediaSeconds,
      durationSeconds: endOf(leader.live, untilMsn) - mediaSeconds,
      capturedAtMs: segment.capturedAtMs,
      initVersion: segment.initVersion,
      renditions: here,
    });
  }
  const last = periods.at(-1);
  if (last !== undefined && !renditions.every(({ live }) => live.hasEnded))
    Object.assign(last, { durationSeconds: null, untilMsn: null });
  return periods;
}

/**
 * Whether the rendition is listed in a Period that starts at this segment. A segment that has not arrived yet counts, unless the rendition has been
 * dropped.
 */
function isPlayed(live: LiveRendition, msn: number): boolean {
  if (live.droppedFrom !== null && msn >= live.droppedFrom) return false;
  return msn >= live.firstMsn && segmentAt(live, msn)?.isGap !== true;
}

function startOf(
  periods: MpdPeriod[],
  segment: LiveSegment,
  mediaSeconds: number,
  origin: PeriodOrigin | null,
): number {
  const before = periods.at(-1) ?? (origin && { ...origin, durationSeconds: 0 });
  if (before === null) return FIRST_START_SECONDS;
  const zeroMs = origin?.zeroMs ?? zeroMsOf(periods[0]!.capturedAtMs);
  const continuous = before.startSeconds + (mediaSeconds - before.mediaSeconds);
  if (!segment.isDiscontinuous || segment.msn === origin?.firstMsn) return continuous;
  return Math.max(before.startSeconds + before.durationSeconds!, (segment.capturedAtMs - zeroMs) / 1000);
}

function endOf(live: LiveRendition, untilMsn: number | null): number {
  const last = (untilMsn === null ? null : segmentAt(live, untilMsn - 1)) ?? live.segments.at(-1)!;
  return endTicks(last) / live.timescale;
}

/** A segment in the MPD's SegmentTimeline. */
export interface ListedSegment {
  msn: number;
  startTicks: number;
  durationTicks: number;
}

/**
 * The segments of a rendition in a Period, from one sequence number on. With low latency this includes the segment after the last whole one, even
 * before its first part exists. Its duration is estimated from those before it.
 */
export function listedSegments(
  { facts, live }: MpdRendition,
  period: MpdPeriod,
  fromMsn: number,
  timing: LiveTiming,
): ListedSegment[] {
  const listed: ListedSegment[] = [];
  const { untilMsn, renditions } = period;
  const end = Math.min(untilMsn ?? Infinity, (live.segments.at(-1)?.msn ?? -1) + 1);
  for (let msn = Math.max(period.firstMsn, fromMsn); msn < end; msn += 1) {
    const segment = segmentAt(live, msn);
    if (segment === null || !segment.isWhole || segment.isGap) break;
    listed.push({ msn, startTicks: segment.decodeTicks, durationTicks: segment.durationTicks });
  }
  const edge = (lastWhole(live)?.msn ?? live.firstMsn - 1) + 1;
  const isOpen = untilMsn === null && !live.hasEnded && timing.partTargetMs !== null && edge >= fromMsn;
  if (isOpen) {
    const startTicks = startOfEdge(live, edge, period);
    const endSeconds = expectedEndSeconds(renditions[0]!, edge, period, timing);
    const ticks = Math.round(endSeconds * live.timescale - startTicks);
    // Audio ends at the frame nearest to the end of the video.
    const frames = Math.round(ticks / AAC_FRAME_SAMPLES) * AAC_FRAME_SAMPLES;
    listed.push({ msn: edge, startTicks, durationTicks: Math.max(1, facts.kind === "audio" ? frames : ticks) });
  }
  return listed;
}

function startOfEdge(live: LiveRendition, msn: number, period: MpdPeriod): number {
  const segment = segmentAt(live, msn);
  if (segment !== null) return segment.decodeTicks;
  const before = segmentAt(live, msn - 1);
  const follows = before !== null && msn > period.firstMsn;
  return follows ? endTicks(before) : Math.round(period.mediaSeconds * live.timescale);
}

/** Expected end, on the session's timeline, of the leader's current or a future segment. */
function expectedEndSeconds({ facts, live }: MpdRendition, msn: number, period: MpdPeriod, timing: LiveTiming): number {
  const edge = Math.max(period.firstMsn, Math.min(msn, (lastWhole(live)?.msn ?? -1) + 1));
  const usual = usualTicks(live, facts.kind, period.firstMsn, timing);
  const dividedFrom =
    period.firstMsn === live.firstMsn && isDivided(live, usual) ? live.segments[0]!.decodeTicks : null;
  let ticks = startOfEdge(live, edge, period);
  for (let next = edge; next <= msn; next += 1)
    ticks = dividedFrom === null ? ticks + usual : dividedEnd(ticks - dividedFrom, live.timescale, usual) + dividedFrom;
  return ticks / live.timescale;
}

/** Whether the session's first segment is shorter than the others, for a faster start (docs/decisions/0036). */
const isDivided = ({ segments: [first], firstMsn }: LiveRendition, usual: number): boolean =>
  first?.msn === firstMsn && first.isWhole && first.durationTicks < USUAL_SHARE * usual;

/** Audio segments end at the frame nearest to the video's end. */
const AUDIO_TOLERANCE_SECONDS = 0.05;

/** End of the segment that begins `startTicks` after the start of a divided session. The first two segments together have the usual duration. */
const dividedEnd = (startTicks: number, timescale: number, usual: number): number =>
  startTicks < usual - AUDIO_TOLERANCE_SECONDS * timescale ? usual : startTicks + usual;

/** Number of newest segments from which the usual duration is derived. */
const USUAL_SEGMENTS = 8;
/** Segments shorter than this share of the target duration are ignored. */
const USUAL_SHARE = 0.8;

/**
 * Video segments have a constant duration, except for the first of a Period and those around interruptions. Durations of audio-only
 * segments vary by one frame around their average.
 */
function usualTicks(
  live: LiveRendition,
  kind: "video" | "audio",
  firstMsn: number,
  { targetDurationSeconds }: LiveTiming,
): number {
  const targetTicks = targetDurationSeconds * live.timescale;
  const usual = live.segments
    .slice(-USUAL_SEGMENTS)
    .filter(({ msn, isWhole, isGap }) => msn >= firstMsn && isWhole && !isGap)
    .map(({ durationTicks }) => durationTicks)
    .filter((ticks) => ticks >= USUAL_SHARE * targetTicks);
  if (usual.length === 0) return targetTicks;
  return kind === "video" ? Math.max(...usual) : usual.reduce((sum, ticks) => sum + ticks, 0) / usual.length;
}

/** What a Period lists of a rendition. */
export interface Listed {
  rendition: MpdRendition;
  segments: ListedSegment[];
}

/** Distance from one segment start to the next: a gap between two segments is added to the first. */
export const durations = (segments: ListedSegment[]): number[] =>
  segments.map(({ startTicks, durationTicks }, index) => {
    const next = segments[index + 1];
    return next === undefined ? durationTicks : next.startTicks - startTicks;
  });
