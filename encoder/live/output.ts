/** Inputs and outputs of a broadcast's encoder. Types only. */
import type { Continuation, KeyPlace, RunStart, RunState } from "./run-state.ts";
import type { Fraction } from "../../protocol/source-facts.ts";
import type { IngestWarning } from "../../protocol/ingest-warning.ts";
import type { IngestSettings, LiveRendition, PartCaptions, Started } from "../../protocol/live.ts";
import type { PartFacts as WirePartFacts } from "../../protocol/part-facts.ts";

export interface BroadcastPlan {
  /** Arrival time of the first bytes, epoch ms; they may have been queued for this process. Default: when they are read. */
  firstByteAtMs?: number;
  settings: Pick<IngestSettings, "maxResolution" | "partTargetMs" | "segmentMs" | "sounds">;
  /** Always encode the top rung; never copy the source's pictures. */
  encodesTopRung?: boolean;
  /** Divide the first segment to shorten the startup delay (segment-grid.ts). */
  isFirstShort?: boolean;
  /** The run of a crashed encoder, to be continued. `start` is then ignored. */
  continues?: Continuation;
  /** Source time before which another encoder has published all media, when its run cannot be continued. */
  afterSeconds?: number | undefined;
  /** Start of the broadcast in its session. Null = requested through `onOpening` once the first media has been decoded. */
  start: RunStart | null;
}

/** Announces a run whose position in the session is not known yet. */
export interface RunOpening {
  /** Capture time of the first picture, or of the first sound without a picture; epoch ms. */
  capturedAtMs: number;
  /** In the order of the ladder, with the SHA-256 of each init segment in hexadecimal. */
  renditions: { name: string; initSha256: string }[];
  /** End of the previous run; null for an encoder's first run. */
  after: { msn: number; seconds: number; initVersion: number } | null;
  /** Why the previous run has ended; null for an encoder's first run. For the log. */
  because: RunEndReason | null;
}

export type RunEndReason =
  | "the source has ended"
  | "its timestamps jumped"
  | "its picture has begun"
  | "another sound has begun"
  | "its picture comes in another stream"
  | "its picture has another size or shape"
  | "its picture can no longer be copied";

export interface StartedFacts extends Started {
  renditions: (LiveRendition & { timescale: number })[];
  /** Output frame rate; null without a picture. */
  frameRate: Fraction | null;
}

/** A part as the encoder makes it, without its bytes. */
export interface PartFacts extends WirePartFacts {
  /** What the captions of the source show during the part. Absent when there are none. */
  captions?: PartCaptions;
}

export interface InitFacts {
  codec: string; // RFC 6381
  widthPx: number | null;
  heightPx: number | null;
  timescale: number;
  /** Of the run; null without a picture. */
  frameRate: Fraction | null;
}

/** A dropped rung. Its last segment is the one before `fromMsn`. */
export interface DroppedRung {
  rendition: string;
  fromMsn: number;
}

/** Progress report, sent every second. */
export interface Pulse {
  /** Complete segments of the session so far, which is the next media sequence number. */
  segments: number;
  /** Media seconds encoded per busy second; 0 = not measured yet. */
  speed: number;
  /** The encoder is idle, waiting for the source. */
  isWaiting: boolean;
  /** Increases with every packet read and every picture encoded. */
  steps: number;
}

/** Receives a broadcast's output; must not throw. Per rendition, an init precedes the parts that need it, and parts arrive in order. */
export interface BroadcastListener {
  onStarted(facts: StartedFacts): void;
  /** Called first for a run whose position in the session is unknown. A rejection ends the broadcast. */
  onOpening(opening: RunOpening): Promise<RunStart>;
  onInit(rendition: string, version: number, bytes: Buffer, facts: InitFacts): void;
  onPart(facts: PartFacts, bytes: Buffer): void;
  onRungDropped(dropped: DroppedRung): void;
  /** JPEG of the first picture and of one picture every 5 s. @param capturedAtMs of the picture, epoch ms */
  onThumbnail(bytes: Buffer, capturedAtMs: number): void;
  onThumbnailFailed(reason: string): void;
  onPulse(pulse: Pulse): void;
  /** What has gone wrong so far, whenever that changes. */
  onWarnings(warnings: IngestWarning[]): void;
  /** A run has started (called after its inits) or changed; null = it ends and can no longer be continued. */
  onRun?(state: RunState | null): void;
  onKey?(place: KeyPlace): void;
}
