/** The playable media of a live session at one time. Pure rules over the renditions that the live origin holds. */

/** Fixed for the whole session (RFC 8216bis §4.4.3.7, §4.4.3.8). */
export interface LiveTiming {
  /** EXT-X-TARGETDURATION: the longest segment duration, in whole seconds. */
  targetDurationSeconds: number;
  /** PART-TARGET: the longest part duration; null = a session without low latency, whose playlists list no parts. */
  partTargetMs: number | null;
}

const MEASURED_SEGMENTS = 300;

/** A partial segment (RFC 8216bis §4.4.4.9), playable before its segment is complete. */
export interface LivePart {
  durationTicks: number;
  bytes: number;
  /** It begins with a key frame. */
  isIndependent: boolean;
}

export interface LiveSegment {
  /** Media sequence number. Consecutive, also across reconnects. */
  msn: number;
  /** Capture time of its first frame, epoch ms. */
  capturedAtMs: number;
  /** Decode time of its first sample on the session's timeline. */
  decodeTicks: number;
  /** So far. */
  durationTicks: number;
  bytes: number;
  /** Timestamps are not continuous with the segment before. */
  isDiscontinuous: boolean;
  /** Version of its init segment; increases when the source's format changes. */
  initVersion: number;
  /** Permanently lost: players skip it (RFC 8216bis §4.4.4.7). */
  isGap: boolean;
  isWhole: boolean;
  /** Kept only near the live edge, to bound memory. A gap counts as one part. */
  parts: LivePart[];
}

export interface LiveRendition {
  name: string;
  timescale: number; // ticks per second
  /** The session's first number, except for renditions that were added by a later broadcaster. */
  firstMsn: number;
  /** Consecutive; only the last may be incomplete. The origin holds the session's newest ones, see `OriginHistory`. */
  segments: LiveSegment[];
  /** The older segments on both sides of each Period start, which the MPD needs to place its Periods. */
  boundarySegments?: Map<number, LiveSegment>;
  /** Sequence numbers of discontinuous segments, including those older than `segments`. */
  discontinuities: number[];
  /** Number of discontinuities older than those listed. */
  olderDiscontinuities?: number;
  /** Sequence numbers at which the MPD begins a new Period: discontinuities, changes of the init segment, begin and end of gaps. */
  periodStarts: number[];
  /** The encoder has dropped the rendition from this sequence number on; gaps follow. */
  droppedFrom: number | null;
  hasEnded: boolean;
}

/** A position in a playlist: a part, or a whole segment when `part` is null. */
export interface LivePlace {
  msn: number;
  part: number | null;
}

export const segmentSeconds = ({ durationTicks }: LiveSegment, timescale: number): number => durationTicks / timescale;

/** End of a segment on the session's timeline. */
export const endTicks = ({ decodeTicks, durationTicks }: LiveSegment): number => decodeTicks + durationTicks;

/** Peak bit rate of the newest segments, in bits per second. Segments shorter than 1 s are not representative and do not count. */
export function measuredBitrate({ segments, timescale }: LiveRendition): number {
  const newest = segments
    .slice(-MEASURED_SEGMENTS)
    .filter(({ isWhole, durationTicks }) => isWhole && durationTicks >= timescale);
  return Math.max(0, ...newest.map(({ bytes, durationTicks }) => (bytes * 8 * timescale) / durationTicks));
}

/** By index rather than search, because sequence numbers are consecutive. */
export function segmentAt({ segments, boundarySegments }: LiveRendition, msn: number): LiveSegment | null {
  return segments[msn - (segments[0]?.msn ?? 0)] ?? boundarySegments?.get(msn) ?? null;
}

/** The last complete segment; null when there is none. */
export function lastWhole({ segments }: LiveRendition): LiveSegment | null {
  return segments.findLast(({ isWhole }) => isWhole) ?? null;
}

/** The newest part, for EXT-X-RENDITION-REPORT; null when there is none. */
export function lastPart({ segments }: LiveRendition): { msn: number; part: number } | null {
  const last = segments.at(-1);
  return last === undefined ? null : { msn: last.msn, part: last.parts.length - 1 };
}

/** The next part to come; null after the end. */
export function nextPart({ segments, firstMsn, hasEnded }: LiveRendition): { msn: number; part: number } | null {
  const last = segments.at(-1);
  if (hasEnded) return null;
  if (last === undefined) return { msn: firstMsn, part: 0 };
  return last.isWhole ? { msn: last.msn + 1, part: 0 } : { msn: last.msn, part: last.parts.length };
}

/** Whether a new Period begins at the segment (see `periodStarts`). */
export const startsPeriod = (before: LiveSegment | undefined, segment: LiveSegment): boolean =>
  before === undefined ||
  segment.isDiscontinuous ||
  segment.isGap !== before.isGap ||
  segment.initVersion !== before.initVersion;

/** EXT-X-DISCONTINUITY-SEQUENCE of a playlist that begins with this segment (RFC 8216bis §4.4.3.3). */
export const discontinuitiesBefore = (
  { discontinuities, olderDiscontinuities = 0 }: LiveRendition,
  msn: number,
): number => olderDiscontinuities + discontinuities.filter((one) => one < msn).length;

/** Once a discontinuity is this many segments behind the edge, windows do not begin before it. */
const SETTLED_SEGMENTS = 10;

/**
 * The window at the live edge: the newest segments that last `windowSeconds` together, and at least three target durations, as RFC 8216bis
 * §6.2.2 requires. Some time after a discontinuity the window begins at it, so that players that cannot cross discontinuities start after
 * it. Null = from the first segment on.
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

/** Index of the newest discontinuity that is far enough behind the edge; 0 when there is none. */
function settledFrom({ segments, discontinuities, hasEnded }: LiveRendition): number {
  const [firstMsn, lastMsn] = [segments[0]?.msn ?? 0, segments.at(-1)?.msn ?? 0];
  if (hasEnded) return 0;
  const settled = discontinuities.findLast((msn) => lastMsn - msn >= SETTLED_SEGMENTS);
  return Math.max(0, (settled ?? firstMsn) - firstMsn);
}
