/** Free-form pairs of the owner: at most 10 keys, values up to 255 characters. */
export type Metadata = Record<string, string>;

/** How far an asset is; `percent` and each rendition's are 0 to 100. */
export interface Progress {
  percent: number;
  stage: string;
  renditions: { name: string; percent: number }[];
  /** Media seconds encoded per second of wall time; absent before the first measure. */
  speed?: number;
}

/** Segment n of a rendition is position n of each list; lists of one length. */
export interface SegmentList {
  durationTicks: number[];
  bytes: number[];
  /** Per segment, [offset, length] of every key frame, see `SegmentFacts` in encoder/protocol.ts; empty for audio and passthrough. */
  keyframes: [number, number][][];
}
