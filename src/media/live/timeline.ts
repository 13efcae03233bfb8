/** What of a live session can be played at one moment. Pure: the live origin holds one for each rendition and adds to it. */

/** Fixed when a session begins; nothing of it may change while it runs (RFC 8216bis §4.4.3.7, §4.4.3.8). */
export interface LiveTiming {
  /** The longest that a segment may be, in whole seconds. */
  targetDurationSeconds: number;
  /** The longest that a part may be; null = a session without low latency, which has no parts in its playlists. */
  partTargetMs: number | null;
}

const MEASURED_SEGMENTS = 300;

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
  /** So far. */
  durationTicks: number;
  bytes: number;
  /** Timestamps do not go on from the segment before. */
  isDiscontinuous: boolean;
  /** Which init segment it needs; counts up when the source changes midway. */
  initVersion: number;
  /** Lost for good: players pass over it (RFC 8216bis §4.4.4.7). */
  isGap: boolean;
  isWhole: boolean;
  /** Near the edge only: twelve hours of parts would fill the memory. A gap counts as one part. */
  parts: LivePart[];
}

export interface LiveRendition {
  name: string;
  timescale: number; // ticks per second
  /** Of the session for all but those that came with another broadcaster. */
  firstMsn: number;
  /** In order, with no number left out; only the last may be unfinished. The origin holds the newest of a session, see `OriginHistory`. */
  segments: LiveSegment[];
  /** Older segments beside seams, which an MPD needs to place its periods. */
  seamSegments?: Map<number, LiveSegment>;
  /** Sequence numbers of the discontinuous ones, also of those before the first of these segments. */
  discontinuities: number[];
  /** Discontinuities that are older than those listed. */
  olderDiscontinuities?: number;
  /** Sequence numbers at which what came before does not simply go on: discontinuities, other inits, where gaps begin and end. */
  seams: number[];
  /** The encoder has given it up from this sequence number on: gaps follow. */
  droppedFrom: number | null;
  hasEnded: boolean;
}

/** A place in a playlist: a part, or with `part` null a whole segment. */
export interface LivePlace {
  msn: number;
  part: number | null;
}

export const segmentSeconds = ({ durationTicks }: LiveSegment, timescale: number): number => durationTicks / timescale;

/** Where a segment ends on the session's timeline. */
export const endTicks = ({ decodeTicks, durationTicks }: LiveSegment): number => decodeTicks + durationTicks;

/** What the largest of the newest segments needs, in bits per second. Short ones, as before a discontinuity, tell nothing. */
export function measuredBitrate({ segments, timescale }: LiveRendition): number {
  const newest = segments
    .slice(-MEASURED_SEGMENTS)
    .filter(({ isWhole, durationTicks }) => isWhole && durationTicks >= timescale);
  return Math.max(0, ...newest.map(({ bytes, durationTicks }) => (bytes * 8 * timescale) / durationTicks));
}

/** Without a search, as the numbers have no holes. */
export function segmentAt({ segments, seamSegments }: LiveRendition, msn: number): LiveSegment | null {
  return segments[msn - (segments[0]?.msn ?? 0)] ?? seamSegments?.get(msn) ?? null;
}

/** The last segment that is whole; null before there is one. */
export function lastWhole({ segments }: LiveRendition): LiveSegment | null {
  return segments.findLast(({ isWhole }) => isWhole) ?? null;
}

/** The newest part, as a rendition report names it; null before there is one. */
export function lastPart({ segments }: LiveRendition): { msn: number; part: number } | null {
  const last = segments.at(-1);
  return last === undefined ? null : { msn: last.msn, part: last.parts.length - 1 };
}

/** The part that comes next; null when none will. */
export function nextPart({ segments, firstMsn, hasEnded }: LiveRendition): { msn: number; part: number } | null {
  const last = segments.at(-1);
  if (hasEnded) return null;
  if (last === undefined) return { msn: firstMsn, part: 0 };
  return last.isWhole ? { msn: last.msn + 1, part: 0 } : { msn: last.msn, part: last.parts.length };
}

/** Whether this segment is a seam, see `seams`. */
export const isSeam = (before: LiveSegment | undefined, segment: LiveSegment): boolean =>
  before === undefined ||
  segment.isDiscontinuous ||
  segment.isGap !== before.isGap ||
  segment.initVersion !== before.initVersion;

/** Discontinuities that have left a list that begins with this segment (RFC 8216bis §4.4.3.3). */
export const discontinuitiesBefore = (
  { discontinuities, olderDiscontinuities = 0 }: LiveRendition,
  msn: number,
): number => olderDiscontinuities + discontinuities.filter((one) => one < msn).length;

/** Segments behind a discontinuity, in front of which a window does not begin any more. */
const SETTLED_SEGMENTS = 10;

/**
 * The segments of a window that ends at the live edge: as many of the newest as last `windowSeconds` together, never fewer than
 * three target durations, which players need (RFC 8216bis §6.2.2). A while behind a discontinuity the window begins with it, so that
 * players which cannot pass over one begin behind it. Null = from the first segment on.
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
  return { ...rendition, segments: segments.slice(Math.max(first, settledFrom(rendition))) };
}

/** The index of the newest discontinuity that lies far enough behind the edge; 0 when there is none. */
function settledFrom({ segments, discontinuities, hasEnded }: LiveRendition): number {
  const [firstMsn, lastMsn] = [segments[0]?.msn ?? 0, segments.at(-1)?.msn ?? 0];
  if (hasEnded) return 0;
  const settled = discontinuities.findLast((msn) => lastMsn - msn >= SETTLED_SEGMENTS);
  return Math.max(0, (settled ?? firstMsn) - firstMsn);
}
