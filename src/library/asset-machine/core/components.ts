import { DocumentStore } from "../../../platform/machine/document-store.ts";
import { Outbox } from "../../../platform/machine/outbox.ts";
import { StateMachine } from "../../../platform/machine/state-machine.ts";
import { Timers } from "../../../platform/machine/timers.ts";
import type { Env } from "../../../platform/env.ts";
import type { AssetStatus } from "../../assets/asset-calls.ts";
import type { EdgeProbe } from "../../assets/edge-probe.ts";
import {
  type AssetFacts,
  type AssetMessage,
  type MachineEvent,
  type NewRendition,
  projectAsset,
} from "../../assets/projection.ts";
import type { AssetForMachine } from "../../assets/repository.ts";
import type { OwnSegment } from "../../encoding/assemble-clip.ts";
import type { ClipCut } from "../../encoding/clip-cut.ts";
import type { DispatchContext } from "../../encoding/dispatcher.ts";
import { JobStore } from "../../encoding/job-store.ts";
import type { EncodingPlan } from "../../encoding/plan.ts";
import type { CopyFacts } from "../../../media/mp4/index-source.ts";
import type { CopyState } from "../../sources/copy-state.ts";
import { HeardStore } from "./heard-store.ts";
import { InsightStore } from "./insight-store.ts";
import { ASSET_MOVES, type AssetSignal } from "./moves.ts";
import { TrackStore } from "./track-store.ts";
import { SentRenditions } from "./sent-renditions.ts";

/** `work` runs the next step of the current stage, `tracks` those of added tracks, `insights` those of results of AI; `images` has sheet and poster made once the asset is ready. */
export type AssetTimer = "work" | "tracks" | "insights" | "outbox" | "cleanup" | "purge" | "images";
export type Stage = "created" | "downloading" | "validating" | "encoding";

/** Failures in a row for internal reasons, after which work is given up: with the timers' back-off, about ten minutes of retries. */
export const MAX_WORK_FAILURES = 15;

export const NON_STANDARD = "video.media.non_standard_format.detected" satisfies MachineEvent["type"];

const BEFORE_EDITS = { montage: null, optimizeAudio: false, watermark: null };

/** How a clip is cut, and the own segments of its sounds. */
export interface MachineClip extends ClipCut {
  sounds: { ownerName: string; name: string; head: OwnSegment | null; tail: OwnSegment | null }[];
}

/** What the machine stores besides its state, jobs, timers and outbox. */
export interface AssetDocuments {
  /** The object's name, which is the asset's id. */
  name: string;
  asset: AssetForMachine;
  stage: Stage | "done";
  /** The step in progress, and how many times it has been started. */
  openStep: { stage: Stage; tries: number };
  edge: EdgeProbe["summary"];
  /** The listed segments of each passthrough rendition, for an upload that is still arriving. */
  arrived: Record<string, number>;
  /** What is not standard about an upload that is still arriving. Its media is not announced yet, so this is not either. */
  detected: string;
  /** Reports of the upload's machine so far. */
  arrivals: number;
  copy: CopyState;
  /** Of the further files of a montage, which are copied one after another. */
  fileCopies: CopyState[];
  /** Bytes of the files that are stored whole. */
  copiedBytes: number;
  /** Of the files of a join, as far as their indexes have been read; null = the pictures are encoded. */
  copyFacts: (CopyFacts | null)[];
  /** Files whose length was found to fit into the workspace's storage. */
  fittingFiles: number;
  /** Failures of the source since it was last read successfully. */
  sourceFailures: number;
  plan: EncodingPlan;
  /** A clip of another media. */
  clip: MachineClip;
  skipTopRung: boolean;
  /** How many times the captions of a montage have been put together without an end: see `beginStep`. */
  captionStarts: number;
  /** Folders of sheets of pictures that nobody needs any more. They are emptied twice, because a late write may follow. */
  oldSheets: { rendition: string; dueMs: number; isLast: boolean }[];
  /** The captions of the picture are read, or have been. */
  readsPictureCaptions: boolean;
  /** When progress was last reported, epoch ms. */
  progressAt: number;
  purgePass: number;
}

/** The components of an asset's machine, and the messages that it enqueues for D1. Its verbs are the files of the folder above, those of its added tracks in `tracks/`. */
export class AssetComponents {
  readonly ctx: DurableObjectState;
  readonly env: Env;
  /** Epoch ms. */
  readonly clock: () => number;
  readonly documents: DocumentStore<AssetDocuments>;
  readonly state: StateMachine<AssetStatus, AssetSignal>;
  readonly timers: Timers<AssetTimer>;
  readonly outbox: Outbox<AssetMessage>;
  readonly jobs: JobStore;
  /** Added tracks in preparation, and their jobs. They go on when the asset is ready. */
  readonly tracks: TrackStore;
  readonly trackJobs: JobStore;
  /** What has been heard for generated tracks. */
  readonly heard: HeardStore;
  /** Results of AI that are to be made. */
  readonly insights: InsightStore;
  readonly sentRenditions: SentRenditions;
  /** Aborts the running copy when the asset is deleted. */
  readonly copying = new AbortController();

  constructor(ctx: DurableObjectState, env: Env, clock: () => number = () => Date.now()) {
    const { storage } = ctx;
    const label = () => ({ machine: "asset", id: this.id });
    this.ctx = ctx;
    this.env = env;
    this.clock = clock;
    this.documents = new DocumentStore(storage);
    this.state = new StateMachine<AssetStatus, AssetSignal>(storage, "processing", ASSET_MOVES, label);
    this.timers = new Timers(storage, clock, label);
    this.outbox = new Outbox(storage.sql, (messages) => projectAsset(this.env, this.id, messages, new Date(clock())));
    this.jobs = new JobStore(storage.sql);
    this.tracks = new TrackStore(storage.sql);
    this.trackJobs = new JobStore(storage.sql, "track_jobs");
    this.heard = new HeardStore(storage.sql);
    this.insights = new InsightStore(storage.sql);
    this.sentRenditions = new SentRenditions(storage.sql);
  }

  get id(): string {
    return this.documents.get("name") ?? this.ctx.id.toString();
  }

  /** @throws {Error} before the machine has been started */
  get asset(): AssetForMachine {
    const asset = this.documents.get("asset");
    if (asset === undefined) throw new Error("the machine has not been started");
    // Machines that were started by releases before 2026-11-28 do not know these.
    return { ...BEFORE_EDITS, ...asset };
  }

  /** What jobs on the asset's source have in common. */
  get sourceContext(): DispatchContext {
    const { id: assetId, publicUrl, clipStartMs: startMs, clipEndMs: endMs } = this.asset;
    const plan = this.documents.get("plan");
    const source = this.documents.get("clip")?.source;
    if (source === undefined) return { assetId, publicUrl, clip: { startMs, endMs }, plan };
    return { assetId, publicUrl, clip: source.fileRange, plan, sourceId: source.ownerId };
  }

  get isProcessing(): boolean {
    return this.state.status === "processing";
  }

  /** Makes several writes one commit. */
  commit(write: () => void): void {
    this.ctx.storage.transactionSync(write);
  }

  enterStage(stage: Stage | "done", facts: AssetFacts = {}): void {
    this.documents.put("stage", stage);
    this.enqueueFacts({ stage, ...facts });
  }

  enqueueFacts(payload: AssetFacts): void {
    this.outbox.enqueue({ kind: "facts", payload });
  }

  /**
   * Enqueues the rows that changed since they were last enqueued. Each is a message of its own: the segment list of a 12 h rendition has
   * 0.5 MB, and a row of the outbox holds 2 MB. Call inside a commit.
   */
  enqueueRenditions(rows: NewRendition[]): void {
    for (const payload of this.sentRenditions.takeChanged(rows)) this.outbox.enqueue({ kind: "rendition", payload });
  }

  /** @param reason for `NON_STANDARD` */
  enqueueEvent(type: string | null, reason?: string): void {
    if (type === null) return;
    const payload: MachineEvent = {
      id: crypto.randomUUID(),
      type: type as MachineEvent["type"],
      occurredAtMs: this.clock(),
      ...(reason === undefined ? {} : { reason }),
    };
    this.outbox.enqueue({ kind: "event", payload });
  }
}
