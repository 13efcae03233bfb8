import type { NewEvent } from "../../events/index.ts";
import type { Committed } from "../../events/webhooks/index.ts";
import type { Env } from "../../platform/env.ts";
import { validationProblem } from "../../platform/http/validation.ts";
import { hinted } from "../../platform/http/hints/issue-hints.ts";
import { changeRecord } from "./change-record.ts";
import { isOver, mediaEvent, sourceEvent } from "./media-event.ts";
import type { AssetRecord } from "./repository.ts";

/**
 * Lets viewers download the original file, or ends that.
 *
 * @returns null when there is no such asset
 * @throws {Problem} validation_failed for recordings and clips, which have no original file
 */
export const updateSourceAccess = (
  env: Env,
  key: { workspaceId: string; assetId: string },
  sourceAccess: boolean,
  now: Date,
): Promise<{ record: AssetRecord; committed: Committed } | null> =>
  changeRecord(env, key, now, ({ asset }) => {
    if (asset.sourceAccess === sourceAccess) return null;
    if (asset.streamId !== null || asset.sourceAssetId !== null) throw noSource(sourceAccess);
    return { set: { sourceAccess }, event: eventOf };
  });

/** For an asset that is not ready yet, `video.media.source.ready` follows `asset.ready` (`projection.ts`). */
function eventOf(record: AssetRecord, when: { id: string; atMs: number }): NewEvent {
  if (record.asset.sourceAccess && !isOver(record.asset)) return mediaEvent("video.media.updated", record, when);
  return sourceEvent(record, when);
}

const noSource = (sourceAccess: boolean) =>
  validationProblem(
    {
      issues: [
        {
          code: "custom",
          path: ["sourceAccess"],
          ...hinted("is not available for this media", "must be false: recordings and clips have no original file"),
          input: undefined,
        },
      ],
    },
    { data: { sourceAccess }, schema: null },
  );
