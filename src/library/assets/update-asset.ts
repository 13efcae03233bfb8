import type { Committed } from "../../events/webhooks/index.ts";
import type { Env } from "../../platform/env.ts";
import { changeRecord } from "./change-record.ts";
import type { Asset, AssetRecord } from "./repository.ts";

/** Updates an asset's title, creator id or metadata, with `video.media.updated`. @returns null when there is no such asset */
export const updateAsset = (
  env: Env,
  key: { workspaceId: string; assetId: string },
  change: Partial<Pick<Asset, "title" | "creatorId" | "metadata">>,
  now: Date,
): Promise<{ record: AssetRecord; committed: Committed } | null> =>
  changeRecord(env, key, now, () => ({ set: change }));
