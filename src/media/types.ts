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
  /** Of a segment that was lost, 0: there is no object. */
  bytes: number[];
  /** Per segment, [offset, length] of every key frame, see `SegmentFacts` in protocol/jobs.ts; empty for audio and passthrough. */
  keyframes: [number, number][][];
  /** Of what was broadcast. Absent = one stretch from 0 on, with `init.mp4`. */
  spans?: Span[];
}

/**
 * A stretch of a broadcast in which timestamps go on, one init segment serves and no rendition loses or finds anything. Begins at the
 * same segment in every rendition of an asset, and ends where the next one begins.
 */
export interface Span {
  /** Its first segment. */
  first: number;
  /** It needs `init-{initVersion}.mp4`. */
  initVersion: number;
  /** Decode time of its first sample. */
  startTicks: number;
  /** When its first picture was captured, epoch ms. */
  capturedAtMs: number;
  /** Timestamps or the init segment of some rendition do not go on from the span before. */
  isDiscontinuous: boolean;
}
