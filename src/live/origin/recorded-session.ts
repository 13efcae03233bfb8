/** What a live origin answers of a session that is, or will be, a recording. */
import type { LiveVariant } from "../../media/live/multivariant.ts";
import type { SegmentList } from "../../media/types.ts";

/** Media sequence numbers, the last one included. */
export interface SegmentRange {
  first: number;
  last: number;
}

export interface RecordedRendition {
  name: string;
  timescale: number;
  segments: SegmentList;
}

/** What a session has left for on-demand playback. */
export interface RecordedSession {
  /** What its renditions are, those among them that have nothing. */
  variants: LiveVariant[];
  frameRate: number; // frames per second; 0 = unknown
  channels: number; // of the source's sound; 0 = none
  renditions: RecordedRendition[];
}

/** `beyond`: nothing there yet, or ever, of what begins at that moment. `early`: it begins, but its end has not come yet. */
export type RangeAnswer = FoundRange | { kind: "beyond" } | { kind: "early" };

export interface FoundRange extends SegmentRange {
  kind: "range";
  /** From the beginning of the session's first segment to that of `first`, and to the end of `last`. */
  startSeconds: number;
  endSeconds: number;
}
