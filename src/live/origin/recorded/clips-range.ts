import { type LiveRendition, segmentAt, segmentSeconds } from "../../../media/live/timeline.ts";
import type { RangeAnswer } from "./recorded-session.ts";
import { isPlayable } from "./recording-lists.ts";

/** A session or a recording in the form that clip lookups need. */
export interface SegmentLengths {
  /** The last segment that is whole; -1 before there is one. */
  edge: number;
  hasEnded: boolean;
  /** A segment before the requested one, and its start time, so that a lookup need not sum the durations of days. */
  from: { msn: number; seconds: number };
  lengthAt: (msn: number) => number;
}

/** Longer clips are cut. */
export const MAX_CLIP_SECONDS = 20 * 60;
/** 20 minutes in segments of one second. Bad connections can make segments shorter; the clip is then cut. */
export const MAX_CLIP_SEGMENTS = 1200;
/** A rendition that is further behind the others was dropped, or will have a gap. */
const BEHIND_SEGMENTS = 2;
/** Sums of durations are not exact. */
const EPSILON_SECONDS = 1e-6;

/**
 * Finds the whole segments that cover a time range of a session, from the one in which it starts to the one in which it ends. The end is
 * cut to the end of a session that is over.
 *
 * @param startSeconds relative to the start of the session's first segment
 */
export function findRange(renditions: LiveRendition[], startSeconds: number, endSeconds: number): RangeAnswer {
  return findRangeIn(
    {
      edge: edgeOf(renditions),
      hasEnded: renditions.every((rendition) => rendition.hasEnded),
      from: { msn: 0, seconds: 0 },
      lengthAt: (msn) => lengthOf(renditions, msn),
    },
    startSeconds,
    endSeconds,
  );
}

/** The same for a session that is read in pages. */
export function findRangeIn(
  { edge, hasEnded, from, lengthAt }: SegmentLengths,
  startSeconds: number,
  endSeconds: number,
): RangeAnswer {
  const wantedEnd = Math.min(endSeconds, startSeconds + MAX_CLIP_SECONDS);
  let first: number | null = null;
  let [firstSeconds, { seconds }] = [from.seconds, from];
  const range = (last: number) => ({ kind: "range" as const, last, startSeconds: firstSeconds, endSeconds: seconds });
  for (let { msn } = from; msn <= edge; msn += 1) {
    const before = seconds;
    seconds += lengthAt(msn);
    if (first === null && seconds > startSeconds + EPSILON_SECONDS) [first, firstSeconds] = [msn, before];
    const isFull = first !== null && msn - first + 1 >= MAX_CLIP_SEGMENTS;
    if (first !== null && (isFull || seconds >= wantedEnd - EPSILON_SECONDS)) return { ...range(msn), first };
  }
  if (first === null)
    return { kind: "beyond", reachedSeconds: hasEnded ? seconds : reachedOnAir(edge, seconds, lengthAt) };
  return hasEnded ? { ...range(edge), first } : { kind: "early" };
}

function reachedOnAir(edge: number, edgeSeconds: number, lengthAt: SegmentLengths["lengthAt"]): number | null {
  if (edge < 0) return null;
  let seconds = edgeSeconds;
  for (let msn = edge + 1; lengthAt(msn) > 0; msn += 1) seconds += lengthAt(msn);
  return Math.max(seconds, edgeSeconds + lengthAt(edge));
}

/** The last segment that is whole in every rendition that keeps up; -1 before there is one. */
export function edgeOf(renditions: LiveRendition[]): number {
  const ends = renditions.map(({ segments }) => segments.findLast(isPlayable)?.msn ?? -1);
  const newest = Math.max(-1, ...ends);
  if (renditions.every((rendition) => rendition.hasEnded)) return newest;
  return Math.min(newest, ...ends.filter((end) => end >= newest - BEHIND_SEGMENTS));
}

function lengthOf(renditions: LiveRendition[], msn: number): number {
  let length = 0;
  for (const rendition of renditions) {
    const segment = segmentAt(rendition, msn);
    if (segment === null) continue;
    length = segmentSeconds(segment, rendition.timescale);
    if (isPlayable(segment)) return length;
  }
  return length;
}
