import type { Env } from "../../platform/env.ts";
import { machineStub } from "../../platform/machine/calls.ts";

export type AssetStatus = "processing" | "ready" | "errored" | "deleted";

/** The small calls of an asset's machine. Documents are sent by `callMachine`. */
export interface AssetCalls {
  /** Starts processing an asset by its id alone. Repeatable. */
  start(assetId: string): Promise<{ status: AssetStatus }>;
  /** Deletes the asset, and its bytes after `afterMs`. Repeatable. */
  remove(assetId: string, afterMs?: number): Promise<{ status: AssetStatus }>;
  /** A pass of the purge has emptied the prefix. `done`: no further pass follows. */
  purged(pass: number): { done: boolean };
}

/** Synchronous on purpose: see `machineStub`. */
export const assetMachine = (env: Env, assetId: string) => machineStub<AssetCalls>(env.ASSET_MACHINE, assetId);
