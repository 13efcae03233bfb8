import { openDatabase } from "../../platform/database.ts";
import type { Env } from "../../platform/env.ts";
import type { ReadyMedia } from "../encoding/plan.ts";
import { findAsset } from "./repository.ts";

/** What added sound has to fit; null = the media is not ready. */
export async function findReadyMedia(env: Env, assetId: string): Promise<ReadyMedia | null> {
  const asset = (await findAsset(openDatabase(env.DB), null, assetId))?.asset;
  if (asset?.status !== "ready" || asset.durationMs === null) return null;
  const [num = 0, den = 1] = (asset.frameRate ?? "").split("/").map(Number);
  const isRecorded = asset.streamId !== null || asset.sourceAssetId !== null; // in spans
  return { durationMs: asset.durationMs, frameRate: num > 0 ? { num, den } : null, isRecorded };
}
