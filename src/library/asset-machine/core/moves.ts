import type { Moves } from "../../../platform/machine/state-machine.ts";
import type { AssetStatus } from "../../assets/asset-calls.ts";

export type AssetSignal = "finish" | "fail" | "remove";

export const ASSET_MOVES: Moves<AssetStatus, AssetSignal> = {
  processing: { finish: ["ready", "asset.ready"], fail: ["errored", "asset.errored"], remove: ["deleted", null] },
  ready: { remove: ["deleted", null] },
  errored: { remove: ["deleted", null] },
  deleted: {},
};
