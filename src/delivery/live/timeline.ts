/** What of a live session can be played at one moment. Pure: the live origin holds one for each rendition and adds to it. */

/** Fixed when a session begins; nothing of it may change while it runs (RFC 8216bis §4.4.3.7, §4.4.3.8). */
export interface LiveTiming {
  /** The longest that a segment may be, in whole seconds. */
  targetDurationSeconds: number;
  /** The longest that a part may be; null = a session without low latency, which has no parts in its playlists. */
  partTargetMs: number | null;
}

/** A piece of a segment, played before the segment is whole. */
export interface LivePart {
  durationTicks: number;
  bytes: number;
  /** It begins with a key frame. */
  isIndependent: boolean;
}

export interface LiveSegment {
  /** Media sequence number: counts on without a gap, over reconnects too. */
  msn: number;
  /** When its first picture was captured, epoch ms. */
  capturedAtMs: number;
  /** Decode time of its first sample on the session's timeline. */
  decodeTicks: number;
  /** Timestamps do not go on from the segment before. */
  isDiscontinuous: boolean;
  /** Which init segment it needs; counts up when the source changes midway. */
  initVersion: number;
  /** Lost for good: players pass over it (RFC 8216bis §4.4.4.7). */
  isGap: boolean;
  isWhole: boolean;
  parts: LivePart[];
}

export interface LiveRendition {
  name: string;
  timescale: number; // ticks per second
  /** In order; only the last may be unfinished. */
  segments: LiveSegment[];
  /** Discontinuities before the first of these segments. */
  discontinuitySequence: number;
  hasEnded: boolean;
}

/** A place in a playlist: a part, or with `part` null a whole segment. */
export interface LivePlace {
  msn: number;
  part: number | null;
}

export const segmentTicks = ({ parts }: LiveSegment): number =>
  parts.reduce((sum, { durationTicks }) => sum + durationTicks, 0);

export const segmentSeconds = (segment: LiveSegment, timescale: number): number => segmentTicks(segment) / timescale;

/** Where a segment ends on the session's timeline. */
export const endTicks = (segment: LiveSegment): number => segment.decodeTicks + segmentTicks(segment);

/** The last segment that is whole; null before there is one. */
export function lastWhole({ segments }: LiveRendition): LiveSegment | null {
  return segments.findLast(({ isWhole }) => isWhole) ?? null;
}

/** The newest part, as a rendition report names it; null before there is one. */
export function lastPart({ segments }: LiveRendition): { msn: number; part: number } | null {
  const last = segments.findLast(({ parts }) => parts.length > 0);
  return last === undefined ? null : { msn: last.msn, part: last.parts.length - 1 };
}

/** The part that comes next; null when none will. */
export function nextPart({ segments, hasEnded }: LiveRendition): { msn: number; part: number } | null {
  const last = segments.at(-1);
  if (hasEnded) return null;
  if (last === undefined) return { msn: 0, part: 0 };
  return last.isWhole ? { msn: last.msn + 1, part: 0 } : { msn: last.msn, part: last.parts.length };
}

/**
 * The segments of a window that ends at the live edge: as many of the newest as last `windowSeconds` together, never fewer than
 * three target durations, which players need (RFC 8216bis §6.2.2). Null = from the first segment on.
 */
export function windowed(rendition: LiveRendition, timing: LiveTiming, windowSeconds: number | null): LiveRendition {
  if (windowSeconds === null) return rendition;
  const wanted = Math.max(windowSeconds, 3 * timing.targetDurationSeconds);
  const { segments, timescale } = rendition;
  let seconds = 0;
  let first = segments.length;
  while (first > 0 && seconds < wanted) {
    first -= 1;
    seconds += segmentSeconds(segments[first]!, timescale);
  }
  const passed = segments.slice(0, first).filter(({ isDiscontinuous }) => isDiscontinuous).length;
  return {
    ...rendition,
    segments: segments.slice(first),
    discontinuitySequence: rendition.discontinuitySequence + passed,
  };
}
