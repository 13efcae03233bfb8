/** State of an encoder run, from which another encoder can continue it. */
import type { VideoRung } from "../../protocol/jobs.ts";
import type { H264Codec } from "../media/h264.ts";
import type { LiveGrid } from "./live-grid.ts";
import type { BroadcastSound } from "./broadcast-sounds.ts";

/** Start of a run in its session. */
export interface RunStart {
  msn: number;
  /** The first segment is discontinuous with the previous one. */
  isDiscontinuous: boolean;
  /** Version of its init segments: unused so far in the session, unless the run reuses the previous ones. */
  initVersion: number;
  /** Seconds on the session's timeline; not before the end of its existing media. */
  seconds: number;
  /** The same in ticks, for renditions that continue exactly at their end. */
  ticks: Record<string, number>;
}

export const SESSION_START: RunStart = { msn: 0, isDiscontinuous: false, initVersion: 0, seconds: 0, ticks: {} };

/**
 * Phase of a rung that may be copied from the source: `lead` = encoded at the start of the run; `copied` = the source's pictures;
 * `encoded` = encoded until the end of the run, because the source had no key frame at a segment start.
 */
export type CopyPhase = "lead" | "copied" | "encoded";

/** A run as reported by its encoder whenever it changes. */
export interface RunState {
  start: RunStart;
  /** Source time of its first picture, or of its first sound without a picture. */
  zeroSeconds: number;
  /** Maximum distance in the source between picture and sound of the same time. */
  interleaveSeconds: number;
  grid: LiveGrid | null;
  isFirstShort: boolean;
  /** Ladder of the session, as planned for its first picture. */
  ladder: VideoRung[];
  /** Encoded rungs of the run. */
  rungs: VideoRung[];
  copied: {
    rung: VideoRung;
    bitrateBps: number;
    phase: CopyPhase;
    /** The source's avcC, in base64. */
    avcConfig: string;
    leadParameterSetId: number;
  } | null;
  codecs: [string, H264Codec][];
  sounds: BroadcastSound[];
  /** SHA-256 of each rendition's init segment, by name. */
  inits: [string, string][];
}

/** A position in the source at which a decoder can start. */
export interface KeyPlace {
  /** Decode time in source seconds. */
  seconds: number;
  /** Byte offset of its packet, from the first byte this encoder received. */
  position: number;
  soundShifts: SoundShifts;
}

/** Samples by which each sound is placed after its timestamps to avoid gaps, by the name of its rendition. */
export type SoundShifts = Record<string, number>;

/** Published extent of a rendition of the run. */
export interface RenditionProgress {
  rendition: string;
  /** Media sequence number of the next part. */
  msn: number;
  part: number;
  /** Start of the next part on the session's timeline, in ticks. */
  endTicks: number;
  /** Capture time of the current segment; null between two segments. */
  capturedAtMs: number | null;
}

export interface Continuation {
  run: RunState;
  progress: RenditionProgress[];
  dropped: string[];
  soundShifts: SoundShifts;
}
