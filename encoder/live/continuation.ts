/** What an encoder has to know to go on with a run that another one began and died in. */
import { createHash } from "node:crypto";
import { AAC_FRAME_SAMPLES } from "../../protocol/media/audio-plan.ts";
import type { H264Codec } from "../media/h264.ts";
import type { VideoRung } from "../../protocol/jobs.ts";
import type { LiveGrid } from "./live-grid.ts";
import { type PartFacts, PICTURE_TIMESCALE, type RunStart, SOUND_NAME } from "./output.ts";
import type { SoundFormat } from "./sound-converter.ts";

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

/** The run cannot be gone on with as it was; nothing has come out. */
export class CannotContinue extends Error {}

export const digestOf = (bytes: Buffer): string => createHash("sha256").update(bytes).digest("hex");

export const progressBehind = (facts: PartFacts): RenditionProgress => ({
  rendition: facts.rendition,
  msn: facts.isLast ? facts.msn + 1 : facts.msn,
  part: facts.isLast ? 0 : facts.part + 1,
  endTicks: facts.decodeTicks + facts.durationTicks,
  capturedAtMs: facts.isLast ? null : facts.capturedAtMs,
});

/** Where a rendition goes on in its run: at which segment, part and sample, all from 0. */
export interface CutPlace {
  segment: number;
  part: number;
  sample: number;
}

export function placeOf(rendition: string, { run, progress }: Continuation): CutPlace {
  const found = progress.find((one) => one.rendition === rendition);
  if (found === undefined) return { segment: 0, part: 0, sample: 0 };
  const isSound = rendition === SOUND_NAME;
  const timescale = isSound ? run.sound!.sampleRateHz : PICTURE_TIMESCALE;
  const sampleTicks = isSound ? AAC_FRAME_SAMPLES : run.grid!.ticksPerFrame;
  const baseTicks = run.start.ticks[rendition] ?? Math.round(run.start.seconds * timescale);
  return {
    segment: found.msn - run.start.msn,
    part: found.part,
    sample: Math.round((found.endTicks - baseTicks) / sampleTicks),
  };
}
