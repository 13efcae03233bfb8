import type { MediaFormat } from "../../protocol/init-facts.ts";

/** The owner's free-form pairs: at most 10 keys, values up to 255 characters. */
export type Metadata = Record<string, string>;

/** A sound that was brought to a loudness (EBU R128). */
export interface LevelledSound {
  languageCode: string; // BCP 47
  /** Of the source: integrated loudness, and the highest peak between samples. */
  integratedLufs: number;
  truePeakDb: number;
  loudnessRangeLu: number;
  gainDb: number;
  /** Of the result. */
  resultLufs: number;
  resultTruePeakDb: number;
}

/** Processing progress of an asset. Percentages are 0 to 100. */
export interface Progress {
  percent: number;
  stage: string;
  renditions: { name: string; percent: number }[];
  /** Media seconds encoded per second of wall time; absent before the first measurement. */
  speed?: number;
  /** While the source cannot be fetched and is tried again. */
  retry?: SourceRetry;
}

export interface SourceRetry {
  /** A code of `SOURCE_ERRORS`. */
  reason: string;
  /** Tries that have failed since the source was last read. */
  attempt: number;
  /** RFC 3339. */
  nextAttemptAt: string;
}

/** The segments of a rendition, column by column: all lists have the same length. */
export interface SegmentList {
  durationTicks: number[];
  /** 0 for a lost segment, which has no object. */
  bytes: number[];
  /** Per segment, [offset, length] of every key frame, see `SegmentFacts` in protocol/jobs.ts; empty for audio and passthrough. */
  keyframes: [number, number][][];
  /** Clips of media: the bytes of the clip's own segments and init segments. The others belong to other media. Absent = all. */
  ownBytes?: number;
  /** For broadcasts and clips. Absent = one span from 0 on, with `init.mp4`. */
  spans?: Span[];
  /** For broadcasts whose format has changed, and clips of several formats, in ascending order. Absent = all segments have the format of the rendition. */
  formats?: VersionedFormat[];
}

/** The format of a broadcast's media from a version of its init segment on, until the next one. */
export interface VersionedFormat extends MediaFormat {
  version: number;
}

/**
 * Consecutive segments of a broadcast with continuous timestamps and one init segment, in which no rendition starts or stops having media.
 * It begins at the same segment in every rendition of an asset, and ends where the next one begins.
 */
export interface Span {
  /** Its first segment. */
  first: number;
  /** Its init segment is `init-{initVersion}.mp4`. */
  initVersion: number;
  /** Decode time of its first sample. */
  startTicks: number;
  /** Capture time of its first frame, epoch ms; null for clips of media that are no broadcasts. */
  capturedAtMs: number | null;
  /** In some rendition, the timestamps are not continuous with the span before, or the init segment changes. */
  isDiscontinuous: boolean;
}
