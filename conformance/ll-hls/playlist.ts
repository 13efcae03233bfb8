import type { ByteRange } from "./attributes.ts";

/** A media playlist as a player understands it. URIs are absolute; times are seconds unless the name says otherwise. */
export interface MediaPlaylist {
  url: string;
  lines: string[];
  version: number | null;
  targetDurationS: number | null;
  partTargetS: number | null;
  serverControl: Map<string, string> | null;
  mediaSequence: number;
  /** Null when the tag is not there, which counts as 0. */
  discontinuitySequence: number | null;
  hasIndependentSegments: boolean;
  playlistType: string | null;
  /** EXT-X-SKIP: how many segments were left out; null when this is no delta update. */
  skipped: number | null;
  segments: Segment[];
  hints: Hint[];
  reports: Report[];
  hasEnded: boolean;
  /** What breaks the grammar of §4. */
  problems: string[];
}

export interface Segment {
  msn: number;
  discontinuitySequence: number;
  /** Null while only parts of it are there. */
  uri: string | null;
  range: ByteRange | null;
  durationS: number | null;
  parts: Part[];
  dateMs: number | null;
  isDiscontinuous: boolean;
  isGap: boolean;
  map: { uri: string; range: ByteRange | null } | null;
  /** Its tags and its URI as they were written, but for EXT-X-MAP, whose place changes as segments leave. */
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

/** Where a playlist ends. `part` is null behind a whole segment. */
export interface Place {
  msn: number;
  part: number | null;
}

export function lastPlace({ segments }: MediaPlaylist): Place | null {
  const last = segments.at(-1);
  if (last === undefined) return null;
  return { msn: last.msn, part: last.uri === null ? last.parts.length - 1 : null };
}

/** What a player asks for next (§6.3.7). */
export function nextPlace(playlist: MediaPlaylist): Place {
  const last = playlist.segments.at(-1);
  const first = playlist.partTargetS === null ? null : 0;
  if (last === undefined) return { msn: playlist.mediaSequence, part: first };
  return last.uri === null ? { msn: last.msn, part: last.parts.length } : { msn: last.msn + 1, part: first };
}

/** Whether `place` is not behind `other`; the end of a segment is behind each of its parts. */
export function isAtLeast(place: Place, other: Place): boolean {
  if (place.msn !== other.msn) return place.msn > other.msn;
  return (place.part ?? Infinity) >= (other.part ?? Infinity);
}

/** Whether a playlist holds what a blocking request named. A part beyond a segment's last is the next segment's first (§6.2.5.2). */
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

/** For each segment how far its end lies from the end of the playlist, parts of an unfinished segment included. */
export function secondsToEnd({ segments }: MediaPlaylist): number[] {
  let seconds = 0;
  const found = segments.toReversed().map((segment) => {
    const distance = seconds;
    seconds += secondsOf(segment);
    return distance;
  });
  return found.toReversed();
}

/** The playlist that a delta update stands for, or null when the base has not all that was skipped (§6.3.7). */
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
