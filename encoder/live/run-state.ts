/** A run of the encoder as it describes it, for the encoder that continues it. */
import type { VideoRung } from "../../protocol/jobs.ts";
import type { H264Codec } from "../media/h264.ts";
import type { LiveGrid } from "./live-grid.ts";
import type { SoundFormat } from "./sound-converter.ts";

/** Where a run begins in its session. */
export interface RunStart {
  msn: number;
  /** The first segment does not go on from the one before it. */
  isDiscontinuous: boolean;
  /** Of its init segments: one that the session has not used, unless the run goes on with the same ones. */
  initVersion: number;
  /** Seconds on the session's timeline, not before the end of what the session has. */
  seconds: number;
  /** The same in ticks for renditions that go on exactly where they ended. */
  ticks: Record<string, number>;
}

export const SESSION_START: RunStart = { msn: 0, isDiscontinuous: false, initVersion: 0, seconds: 0, ticks: {} };

/**
 * What the pictures of a rung are that can be the source's own: encoded, because the run has just begun (`lead`); the source's (`copied`);
 * or encoded until its end, because the source had no key frame where a segment begins (`encoded`).
 */
export type CopyPhase = "lead" | "copied" | "encoded";

/** A run as its encoder describes it, anew when it changes. */
export interface RunState {
  start: RunStart;
  /** The source's time of its first picture, or sound where there is no picture. */
  zeroSeconds: number;
  /** How far picture and sound of the same time lie apart in the source at most. */
  interleaveSeconds: number;
  grid: LiveGrid | null;
  isFirstShort: boolean;
  /** Of the session, as planned for its first picture. */
  ladder: VideoRung[];
  /** Of the run, those that are encoded. */
  rungs: VideoRung[];
  copied: {
    rung: VideoRung;
    bitrateBps: number;
    phase: CopyPhase;
    /** Of the source, in base64. */
    avcConfig: string;
    leadParameterSetId: number;
  } | null;
  codecs: [string, H264Codec][];
  sound: SoundFormat | null;
  /** SHA-256 of each rendition's init segment, by name. */
  inits: [string, string][];
}

/** A place in the source where a decoder can begin. */
export interface KeyPlace {
  /** Decode time in the source's seconds. */
  seconds: number;
  /** Of its packet, in bytes from the first one that this encoder was given. */
  position: number;
  /** Samples by which the sound lies behind its timestamps, for the sake of a sound without seams. */
  soundShift: number;
}

/** Up to where a rendition of the run is out. */
export interface RenditionProgress {
  rendition: string;
  /** Of the next part. */
  msn: number;
  part: number;
  /** Ticks on the session's timeline at which the next part begins. */
  endTicks: number;
  /** Of the segment under way; null between two segments. */
  capturedAtMs: number | null;
}

export interface Continuation {
  run: RunState;
  progress: RenditionProgress[];
  dropped: string[];
  soundShift: number;
}
