import type { ByteRange } from "./attributes.ts";

/** A parsed media playlist. URIs are absolute; times are in seconds unless the name says otherwise. */
export interface MediaPlaylist {
  url: string;
  lines: string[];
  version: number | null;
  targetDurationS: number | null;
  partTargetS: number | null;
  serverControl: Map<string, string> | null;
  mediaSequence: number;
  /** Null when the tag is absent, which means 0. */
  discontinuitySequence: number | null;
  hasIndependentSegments: boolean;
  playlistType: string | null;
  /** EXT-X-SKIP: number of skipped segments; null when this is not a delta update. */
  skipped: number | null;
  segments: Segment[];
  hints: Hint[];
  reports: Report[];
  hasEnded: boolean;
  /** Violations of the grammar of §4. */
  problems: string[];
}

export interface Segment {
  msn: number;
  discontinuitySequence: number;
  /** Null while only parts of it exist. */
  uri: string | null;
  range: ByteRange | null;
  durationS: number | null;
  parts: Part[];
  dateMs: number | null;
  isDiscontinuous: boolean;
  isGap: boolean;
  map: { uri: string; range: ByteRange | null } | null;
  /** Its tags and its URI as written, without EXT-X-MAP, which moves when segments are removed. */
  lines: string[];
}

export interface Part {
  uri: string;
  range: ByteRange | null;
  durationS: number;
  isIndependent: boolean;
  isGap: boolean;
  line: string;
}

export interface Hint {
  type: string;
  uri: string;
  range: ByteRange | null;
  line: string;
}

export interface Report {
  uri: string;
  lastMsn: number | null;
  lastPart: number | null;
  line: string;
}

/** The end of a playlist. `part` is null after a whole segment. */
export interface Place {
  msn: number;
  part: number | null;
}

export function lastPlace({ segments }: MediaPlaylist): Place | null {
  const last = segments.at(-1);
  if (last === undefined) return null;
  return { msn: last.msn, part: last.uri === null ? last.parts.length - 1 : null };
}

/** The position that a player requests next (§6.3.7). */
export function nextPlace(playlist: MediaPlaylist): Place {
  const last = playlist.segments.at(-1);
  const first = playlist.partTargetS === null ? null : 0;
  if (last === undefined) return { msn: playlist.mediaSequence, part: first };
  return last.uri === null ? { msn: last.msn, part: last.parts.length } : { msn: last.msn + 1, part: first };
}

/** Whether `place` is not before `other`. The end of a segment is after all its parts. */
export function isAtLeast(place: Place, other: Place): boolean {
  if (place.msn !== other.msn) return place.msn > other.msn;
  return (place.part ?? Infinity) >= (other.part ?? Infinity);
}

/** Whether a playlist contains the requested position. A part after a segment's last is the next segment's first (§6.2.5.2). */
export function holds(playlist: MediaPlaylist, asked: Place): boolean {
  const last = lastPlace(playlist);
  if (last === null) return false;
  if (last.msn !== asked.msn) return last.msn > asked.msn;
  if (asked.part === null) return last.part === null;
  const { uri, parts } = playlist.segments.at(-1)!;
  return uri === null || parts.length > 0 ? parts.length > asked.part : true;
}

const partsSeconds = ({ parts }: Segment): number => parts.reduce((sum, { durationS }) => sum + durationS, 0);

export const secondsOf = (segment: Segment): number => segment.durationS ?? partsSeconds(segment);

/** Distance of each segment's end from the end of the playlist, including parts of an incomplete segment. */
export function secondsToEnd({ segments }: MediaPlaylist): number[] {
  let seconds = 0;
  const found = segments.toReversed().map((segment) => {
    const distance = seconds;
    seconds += secondsOf(segment);
    return distance;
  });
  return found.toReversed();
}

/** The full playlist of a delta update, or null when the base lacks skipped segments (§6.3.7). */
export function applyDelta(base: MediaPlaylist, delta: MediaPlaylist): MediaPlaylist | null {
  const { mediaSequence, skipped } = delta;
  if (skipped === null) return delta;
  const kept = base.segments.filter(
    ({ msn, uri }) => uri !== null && msn >= mediaSequence && msn < mediaSequence + skipped,
  );
  if (kept.length !== skipped) return null;
  let discontinuities = delta.discontinuitySequence ?? 0;
  let map: Segment["map"] = null;
  const segments = [...kept.map((segment) => ({ ...segment, parts: [] })), ...delta.segments].map((segment) => {
    if (segment.isDiscontinuous) discontinuities += 1;
    map = segment.map ?? map;
    return { ...segment, map, discontinuitySequence: discontinuities };
  });
  return { ...delta, skipped: null, segments };
}
