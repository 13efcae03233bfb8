/** What the encoder of a broadcast is given and what it gives. Types only. */
import type { Continuation, KeyPlace, RunStart, RunState } from "./run-state.ts";
import type { Fraction } from "../../protocol/jobs.ts";
import type { IngestSettings, LiveRendition, Started } from "../../protocol/live.ts";

/** The name of the one audio rendition. */
export const SOUND_NAME = "a1";

export interface BroadcastPlan {
  /** When its first bytes came in, epoch ms: they may have waited for this process. Absent = when they are read. */
  firstByteAtMs?: number;
  settings: Pick<IngestSettings, "maxResolution" | "partTargetMs" | "segmentMs">;
  /** Never the source's own pictures as the top rung, however sane they are. */
  encodesTopRung?: boolean;
  /** The first segment is divided, because viewers wait for it (segment-grid.ts). */
  isFirstShort?: boolean;
  /** The run that another encoder died in, to be gone on with; `start` is not looked at then. */
  continues?: Continuation;
  /** The source's seconds before which everything is out: another encoder made it, and its run cannot be gone on with. */
  afterSeconds?: number | undefined;
  /** Where in its session the broadcast begins. Null = it is asked for (`onOpening`) once the first media is there. */
  start: RunStart | null;
}

/** A run that does not simply continue what came before. */
export interface RunOpening {
  /** Of its first picture, or of its first sound where there is no picture; epoch ms. */
  capturedAtMs: number;
  /** In the order of the ladder, with the SHA-256 of each init segment in hexadecimal. */
  renditions: { name: string; initSha256: string }[];
  /** Where the run before it ended; null for the first one of an encoder. */
  after: { msn: number; seconds: number; initVersion: number } | null;
}

export interface StartedFacts extends Started {
  renditions: (LiveRendition & { timescale: number })[];
  /** Of the output; null without a picture. */
  frameRate: Fraction | null;
}

export interface PartFacts {
  rendition: string;
  msn: number;
  part: number;
  durationTicks: number;
  /** Decode time of its first sample, on the session's timeline. */
  decodeTicks: number;
  /** It begins with a key frame. */
  isIndependent: boolean;
  isLast: boolean;
  /** Of the segment's first sample, epoch ms. */
  capturedAtMs: number;
  /** Of the segment. */
  isDiscontinuous: boolean;
  initVersion: number;
}

export interface InitFacts {
  codec: string; // RFC 6381
  widthPx: number | null;
  heightPx: number | null;
  timescale: number;
}

/** A rung that was given up: its last segment is the one before `fromMsn`. */
export interface DroppedRung {
  rendition: string;
  fromMsn: number;
}

/** Each second. */
export interface Pulse {
  /** Whole segments of the session so far: the next media sequence number. */
  segments: number;
  /** Media seconds encoded per second of work; 0 = not known yet. */
  speed: number;
  /** Nothing to do but to wait for the source. */
  isWaiting: boolean;
  /** Counts up with everything that is read, decoded or encoded. */
  steps: number;
}

/** Hears a broadcast; must not throw. Of one rendition an init comes before the parts that need it, and parts come in order. */
export interface BroadcastListener {
  onStarted(facts: StartedFacts): void;
  /** Comes before everything else of a run whose place is not known. A rejection ends the broadcast. */
  onOpening(opening: RunOpening): Promise<RunStart>;
  onInit(rendition: string, version: number, bytes: Buffer, facts: InitFacts): void;
  onPart(facts: PartFacts, bytes: Buffer): void;
  onRungDropped(dropped: DroppedRung): void;
  /** JPEG, of the first picture and each 5 s. @param capturedAtMs of the picture, epoch ms */
  onThumbnail(bytes: Buffer, capturedAtMs: number): void;
  onThumbnailFailed?(reason: string): void;
  onPulse(pulse: Pulse): void;
  /** A run begins, behind its inits, or has changed; null = it ends, and cannot be gone on with from here on. */
  onRun?(state: RunState | null): void;
  onKey?(place: KeyPlace): void;
}
