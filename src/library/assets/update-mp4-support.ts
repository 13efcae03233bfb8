import type { NewEvent } from "../../events/index.ts";
import type { Committed } from "../../events/webhooks/index.ts";
import type { Env } from "../../platform/env.ts";
import { Problem } from "../../platform/http/problems.ts";
import { changeRecord } from "./change-record.ts";
import { isOver, mediaEvent, mp4Event } from "./media-event.ts";
import type { Asset, AssetRecord } from "./repository.ts";

/**
 * Offers other files for download, or none.
 *
 * @param mp4Support null = none
 * @returns null when there is no such asset
 * @throws {Problem} mp4_support_exists when it offers these already; mp4_support_with_drm
 */
export const updateMp4Support = (
  env: Env,
  key: { workspaceId: string; assetId: string },
  mp4Support: Asset["mp4Support"],
  now: Date,
): Promise<{ record: AssetRecord; committed: Committed } | null> =>
  changeRecord(env, key, now, ({ asset }) => {
    if (asset.mp4Support === mp4Support)
      throw new Problem("mp4_support_exists", "the media has this mp4Support already");
    if (asset.accessPolicy === "drm" && mp4Support !== null)
      throw new Problem("mp4_support_with_drm", "a media with DRM has no files for download");
    return { set: { mp4Support }, event: eventOf };
  });

/** For an asset that is not ready yet, `video.media.mp4Support.ready` follows `asset.ready` (`projection.ts`). */
const eventOf = (record: AssetRecord, when: { id: string; atMs: number }): NewEvent =>
  isOver(record.asset) ? mp4Event(record, when) : mediaEvent("video.media.updated", record, when);
