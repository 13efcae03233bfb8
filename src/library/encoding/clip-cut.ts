import type { ClipRange, FrameGrid, VideoRung, Watermark } from "../../../protocol/jobs.ts";
import type { SourceVideo } from "../../../protocol/source-facts.ts";
import type { FrameRange } from "../../media/clips/clip-range.ts";
import type { MontagePlan } from "./plan-montage.ts";

/** The media whose segments a clip shares, and the part of it that the clip is cut from. */
export interface ClipSource {
  ownerId: string;
  /** On the owner's timeline; a clip of a clip has only what the first one has. */
  startMs: number;
  /** Null = to its end. */
  endMs: number | null;
  /** The range of the stored file that the owner was made of. */
  fileRange: ClipRange;
  /** A recording or a clip of a broadcast, which has no source. */
  isRecorded?: true;
  /** Absent = the media is one range of its file. */
  montage?: MontagePlan;
  /** Absent = none. */
  watermark?: Watermark;
  /** Null = the media has no picture. */
  video: { source: SourceVideo; grid: FrameGrid; ladder: VideoRung[]; holdsLastPicture: boolean } | null;
}

/** A clip on the timeline and the segments of its owner. */
export interface ClipCut {
  source: ClipSource;
  startMs: number;
  endMs: number;
  /** The start on the media timeline of the first segment, and the end on that of the last one. */
  mediaStartMs: number;
  mediaEndMs: number;
  /** The segments from which the chunks are decoded, in their order; absent = they are decoded from the owner's source. */
  edges?: EdgeSource[];
  /** On a timeline that begins at 0; null = there is no picture, or the owner is a recording. */
  frames: FrameRange | null;
  /** Numbers of the owner's segments; `endSegment` is exclusive. */
  firstSegment: number;
  endSegment: number;
  /** Its first segment, or its last one, is made of a part of the owner's. */
  hasHead: boolean;
  hasTail: boolean;
}

/** A stored segment from which an edge is decoded, with its init segment. */
export interface EdgeSource {
  rendition: string;
  initFile: "init" | `init-${number}`;
  segment: number;
  /** Decode time of the segment. The encoder counts from it, so it is added to what is encoded. */
  mediaSeconds: number;
}
