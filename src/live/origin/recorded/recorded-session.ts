/** A live origin's answers about a session as on-demand media. */
import type { Cue } from "../../../media/captions/cue.ts";
import type { LiveVariant } from "../../../media/live/multivariant.ts";
import type { SegmentList, VersionedFormat } from "../../../media/types.ts";

/** Media sequence numbers, both ends included. */
export interface SegmentRange {
  first: number;
  last: number;
}

export interface RecordedList {
  name: string;
  timescale: number;
  segments: SegmentList;
}

export interface RecordedRendition extends RecordedList {
  /** In ascending order, at least one: also those of other segments. */
  formats: VersionedFormat[];
}

/** A session's media for on-demand playback. */
export interface RecordedSession {
  /** All renditions, including those without segments. */
  variants: LiveVariant[];
  channels: number; // of the source's sound; 0 = none
  renditions: RecordedRendition[];
}

/** Segments of a session in which a channel of captions shows text. Times are those of the session. */
export interface CaptionPage {
  segments: { msn: number; cues: Cue[] }[];
  /** Where the next page starts; null = this is the last one. */
  nextMsn: number | null;
}

/** `beyond`: the range starts after the last whole segment. `early`: the range has started, but its end does not exist yet. */
export type RangeAnswer = FoundRange | BeyondRange | { kind: "early" };

export interface BeyondRange {
  kind: "beyond";
  /**
   * The end of the session; on air, when the segment that is not whole yet is going to end, if it is as long as the one before. Relative to
   * the start of the session's first segment; null = no segment is whole yet.
   */
  reachedSeconds: number | null;
}

export interface FoundRange extends SegmentRange {
  kind: "range";
  /** Start of `first` and end of `last`, both relative to the start of the session's first segment. */
  startSeconds: number;
  endSeconds: number;
}
