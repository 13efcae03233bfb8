import type { Committed } from "../../events/webhooks/index.ts";
import type { Env } from "../../platform/env.ts";
import { changeRecord } from "./change-record.ts";
import type { Asset, AssetRecord } from "./repository.ts";
import type { UpdateAsset } from "./schemas.ts";

/** Updates the fields of an asset that its owner may change, with `video.media.updated`. @returns null when there is no such asset */
export const updateAsset = (
  env: Env,
  key: { workspaceId: string; assetId: string },
  change: Partial<Pick<Asset, keyof UpdateAsset>>,
  now: Date,
): Promise<{ record: AssetRecord; committed: Committed } | null> =>
  changeRecord(env, key, now, () => ({ set: change }));
