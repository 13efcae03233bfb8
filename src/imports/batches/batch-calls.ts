import type { Env } from "../../platform/env.ts";
import { type Remote, remoteObject } from "../../platform/machine/remote.ts";
import type { SourceKind, SourcePace } from "../sources/source.ts";

export const BATCH_STATES = ["scanning", "scanned", "running", "paused", "done", "cancelled"] as const;
export type BatchState = (typeof BATCH_STATES)[number];

export const ITEM_STATES = [
  "pending",
  "skipped",
  "excluded",
  "submitting",
  "submitted",
  "ready",
  "failed",
  "cancelled",
] as const;
export type ItemState = (typeof ITEM_STATES)[number];

/** Of the items: `pending` includes those being submitted, `skipped` those that were excluded, and `failed` those that were cancelled. */
export interface BatchCounts {
  total: number;
  pending: number;
  submitted: number;
  ready: number;
  failed: number;
  skipped: number;
}

/** What a batch does, fixed at its creation. */
export interface BatchOrder {
  batchId: string;
  workspaceId: string;
  /** Where its media play, and where its report is. */
  publicUrl: string;
  source: SourceKind;
  /** Of the source, without `type`. */
  options: Record<string, unknown>;
  credentialId: string | null;
  selection: { ids: string[]; createdAfterMs: number | null; createdBeforeMs: number | null; limit: number | null };
  settings: BatchSettings;
  dryRun: boolean;
  createdAtMs: number;
}

export interface BatchSettings {
  accessPolicy: "asSource" | "public" | "private";
  maxResolution: "2160p" | "1440p" | "1080p" | "720p" | "480p";
  mediaQuality: "standard" | "pro" | "premium";
  mp4Support: "none" | "capped_4k" | "audioOnly" | "audioOnly,capped_4k";
  captions: boolean;
  /** Names of the source's metadata → names of the media's; null = all, under their own names. */
  metadata: Record<string, string> | null;
}

export interface BatchProblem {
  code: string;
  message: string;
}

/** A batch as it is now. */
export interface BatchView {
  state: BatchState;
  counts: BatchCounts;
  /** Videos that the scan has read, those that the selection leaves out included. */
  scanned: number;
  /** Pending items whose file the source prepares. */
  preparedAtSource: number;
  /** Why it waits or was paused; null = nothing is wrong. */
  problem: BatchProblem | null;
  /** When the source is asked again, epoch ms; null = it is asked now, or not at all. */
  waitsUntilMs: number | null;
  /** Items that ended in the last minutes, a minute; null = too few to say. */
  itemsPerMinute: number | null;
  secondsLeft: number | null;
  startedAtMs: number | null;
  completedAtMs: number | null;
}

/** An item as the API shows it. */
export interface ItemView {
  seq: number;
  sourceId: string;
  title: string | null;
  /** Of lists: the address without its query. */
  sourceUrl: string | null;
  status: ItemState;
  mediaId: string | null;
  playbackId: string | null;
  oldPlaybackIds: string[];
  durationMs: number | null;
  bytes: number | null;
  error: BatchProblem | null;
  differences: Difference[];
  updatedAtMs: number;
}

/** Something that the new media does not have as the source had it. */
export interface Difference {
  field: string;
  message: string;
}

/** What the report says of the source. */
export interface SourceFacts {
  /** Null = it was not opened yet. */
  pace: SourcePace | null;
  changesAtSource: boolean;
  neverKept: readonly string[];
  /** Permissions without which some videos cannot be fetched. */
  missing: readonly { permission: string; message: string }[];
}

/** What a scan has found, summed up. */
export interface DryRunTotals {
  /** Videos that the selection takes. */
  videos: number;
  durationMs: number;
  /** Videos of which the source says no duration. */
  withoutDuration: number;
  /** Sum of the sizes that the source says. */
  bytes: number;
  withoutBytes: number;
  /** Pictures of these heights, for the costs: videos and their time. */
  heights: Record<string, { videos: number; durationMs: number }>;
  policies: Record<string, number>;
  captions: number;
  /** Videos whose captions are asked for one by one. */
  captionsUnknown: number;
  audioTracks: number;
  chapters: number;
  playbackIds: number;
  /** Cannot be fetched, as the list says, by code. */
  obstacles: Record<string, number>;
  /** Listed twice. */
  repeated: number;
  /** Migrated before. */
  alreadyImported: number;
  /** What will be lost, in words → videos. */
  losses: Record<string, number>;
}

export interface ReportFacts {
  order: BatchOrder;
  view: BatchView;
  /** Videos of the sample that were tried. */
  sampled: number;
  totals: DryRunTotals;
  source: SourceFacts;
  /** Failures and skips, grouped: the most frequent first, at most 100. */
  reasons: { status: ItemState; code: string; message: string; items: number; examples: string[] }[];
  /** Differences of ready items, grouped by field and message: at most 100. */
  differences: { field: string; message: string; items: number; examples: string[] }[];
  /** What the list or the sample says cannot be fetched: at most 1,000. */
  obstacles: { sourceId: string; title: string | null; code: string; message: string }[];
}

export type BatchCommand =
  | { name: "start"; exclude: string[] }
  | { name: "pause" }
  | { name: "resume"; credentialId: string | null }
  | { name: "cancel" }
  | { name: "retry"; items: string[] | null };

/** The RPC methods of a batch's object (`durable-objects/import-batch.ts`). */
export interface BatchCalls {
  /** Begins the scan. Repeatable. */
  begin(order: BatchOrder): void;
  view(): BatchView;
  /**
   * @param order with which the batch begins, if its first call was lost
   * @returns null when the state does not accept it: then `view()` says which one it is
   */
  command(command: BatchCommand, order: BatchOrder): BatchView | null;
  /** Items after a place, in the order of the list. @param limit at most 1,000 */
  items(query: { status: ItemState | null; after: number; limit: number }): ItemView[];
  /** Which of these ids at the source are no item's. */
  unknown(sourceIds: readonly string[]): string[];
  report(): ReportFacts;
  /** Goes on after an alarm was lost. */
  wake(): void;
  /** Deletes everything that the object has. For batches that ended long ago. */
  forget(): Promise<void>;
}

/** Returns a stub; sends nothing. */
export const importBatch = (env: Env, batchId: string): Remote<BatchCalls> => remoteObject(env.IMPORT_BATCH, batchId);
