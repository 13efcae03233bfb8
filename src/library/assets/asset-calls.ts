import type { Env } from "../../platform/env.ts";
import { ittyMachine } from "../../platform/machine/itty.ts";
import type { Remote } from "../../platform/machine/remote.ts";
import type { JobCalls } from "../encoding/job-calls.ts";
import type { AddedTrack } from "../tracks/store/repository.ts";
import type { ClipSource } from "../encoding/clip-cut.ts";
import type { Insight } from "../insights/store/repository.ts";
import type { AssetForMachine } from "./repository.ts";

export type AssetStatus = "processing" | "ready" | "errored" | "deleted";

/** What the machine of an asset needs to prepare a track. */
export type TrackForMachine = Pick<
  AddedTrack,
  "id" | "assetId" | "kind" | "url" | "languageCode" | "imposed" | "followsEdit" | "generated"
>;

/** What the machine of an asset needs to make a result of AI. */
export type InsightForMachine = Pick<Insight, "assetId" | "kind" | "workspaceId" | "requestId" | "order">;

/** The calls of an asset's machine (`durable-objects/asset-machine.ts`), through itty-durable: arguments and answers are JSON. */
export interface AssetCalls extends JobCalls {
  /** Starts processing an asset. Repeatable. @param asset its row; without it, the machine reads it */
  start(assetId: string, asset?: AssetForMachine): Promise<{ status: AssetStatus }>;
  /** Deletes the asset, and its bytes after `afterMs`. Repeatable. */
  remove(assetId: string, afterMs?: number): { status: AssetStatus };
  /** A pass of the purge has emptied the prefix. `done`: no further pass follows. */
  confirmPurge(pass: number): { done: boolean; isFailed: boolean };
  /** Clips use the asset's bytes. Another `remove` continues the purge. */
  pausePurge(): void;
  /** What clips of the asset are cut from; null = it is not processed, or gone. */
  readClipSource(): ClipSource | null;
  /** More of the uploaded source is stored, or all of it. */
  noteArrival(): void;
  /** Prepares an added track. Repeatable. */
  takeTrack(track: TrackForMachine): void;
  /** The track has been deleted. Repeatable. */
  removeTrack(track: { id: string; assetId: string }): void;
  /** Makes a result of AI. Repeatable. */
  takeInsight(insight: InsightForMachine): void;
  /** A result is not wanted any more. Repeatable. @param requestId what was asked for; absent in calls of releases before 2026-11-29, which mean any request of the kind */
  dropInsight(kind: Insight["kind"], requestId?: string): void;
}

/** Returns a stub; sends nothing. */
export const assetMachine = (env: Env, assetId: string): Remote<AssetCalls> => ittyMachine(env.ASSET_MACHINE, assetId);
