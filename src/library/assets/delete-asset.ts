import { sql } from "drizzle-orm";
import { commitWithEvents } from "../../events/webhooks/index.ts";
import { openDatabase } from "../../platform/database.ts";
import type { Env } from "../../platform/env.ts";
import { errorFields, log, logWarning } from "../../platform/log.ts";
import { isUploaded } from "../sources/upload-address.ts";
import { uploadFile } from "../sources/upload-file-calls.ts";
import { assetMachine } from "./asset-calls.ts";
import { deletedEvent } from "./media-event.ts";
import { type AssetRecord, findAsset, tombstoneAsset } from "./repository.ts";

/** A recording in progress. Viewers of the broadcast play its bytes, so these are deleted only after the broadcast. */
const isOnAir = ({ asset: { status, streamId, sourceAssetId } }: AssetRecord) =>
  status === "processing" && streamId !== null && sourceAssetId === null;

/**
 * Deletes an asset, with `video.media.deleted`.
 *
 * @param after runs work once the answer is sent
 * @returns its playback IDs, now invalid; null when there is no such asset, or another request has deleted it
 */
export async function deleteAsset(
  env: Env,
  { workspaceId, assetId }: { workspaceId: string; assetId: string },
  now: Date,
  after: (work: Promise<unknown>) => void,
): Promise<string[] | null> {
  const db = openDatabase(env.DB);
  const record = await findAsset(db, workspaceId, assetId);
  if (record === null) return null;
  const event = deletedEvent(record, { id: crypto.randomUUID(), atMs: now.getTime() });
  const tombstone = tombstoneAsset(db, assetId, now);
  const { isNew, wake } = await commitWithEvents(env, [tombstone], [{ event, onlyIf: sql`changes() > 0` }]);
  if (!isNew[0]) return null;
  log("asset.deleted", { assetId, workspaceId });
  after(wake());
  if (!isOnAir(record)) after(removeBytes(env, assetId));
  if (isUploaded(record.asset.sourceUrl)) after(cancelUpload(env, assetId));
  return record.playbackIds.map(({ id }) => id);
}

/** A media can be deleted while its upload is still coming in. Without effect for a complete one; a lost call leaves it to its expiry. */
const cancelUpload = (env: Env, uploadId: string): Promise<unknown> =>
  uploadFile(env, uploadId)
    .cancel(uploadId)
    .catch((error: unknown) => logWarning("upload.cancel_failed", { uploadId, ...errorFields(error) }));

/** On failure, the cron's sweep repeats the call. */
const removeBytes = (env: Env, assetId: string): Promise<unknown> =>
  assetMachine(env, assetId)
    .remove(assetId)
    .catch((error: unknown) => logWarning("asset.remove_failed", { assetId, ...errorFields(error) }));
