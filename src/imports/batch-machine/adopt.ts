/** Items whose video has a media already. */
import { deleteAsset, findAsset } from "../../library/assets/index.ts";
import { openDatabase } from "../../platform/database.ts";
import { mediaFieldsOf } from "../batches/media-fields.ts";
import { findImported, type ImportedVideo } from "../store/claims.ts";
import { ITEM_ERRORS } from "../sources/source.ts";
import { accountOf } from "./account.ts";
import type { BatchComponents } from "./components.ts";
import type { Item } from "./item.ts";

/** Takes the media that this batch has made before a crash; one of another batch makes the item `skipped`. */
export function adopt(
  { items, order, clock }: BatchComponents,
  { seq, video }: Item,
  { batchId, mediaId, playbackId }: ImportedVideo,
): void {
  const taken = { mediaId, playbackId, preparing: null };
  if (batchId !== order.batchId) {
    const error = { code: "already_imported", message: ITEM_ERRORS.already_imported };
    return items.set(seq, { ...taken, status: "skipped", error });
  }
  const hasTexts = video.captions === null || video.captions.some(({ text }) => text !== null);
  items.set(seq, {
    ...taken,
    status: "submitted",
    dueMs: clock(),
    following: order.settings.captions && hasTexts ? { owesTexts: true } : {},
    error: null,
    differences: mediaFieldsOf(video, order.settings).cut,
  });
}

/**
 * An item that is tried again has a media that failed. It is deleted, and a claim with it.
 *
 * @param known the claim of its video
 * @returns the claim that stays: of a media that is well, or of another batch
 */
export async function forgetFailed(
  { env, order, runtime, clock, items }: BatchComponents,
  item: Item,
  mediaId: string,
  known: ImportedVideo | null,
): Promise<ImportedVideo | null> {
  if (known !== null && known.mediaId !== mediaId) return known;
  const record = await findAsset(openDatabase(env.DB), order.workspaceId, mediaId);
  if (record !== null && record.asset.status !== "errored") return known;
  await deleteAsset(env, { workspaceId: order.workspaceId, assetId: mediaId }, new Date(clock()), runtime.after);
  items.set(item.seq, { mediaId: null, playbackId: null });
  return null;
}

/** Items whose submission was cut off by the end of the process. Whether they have a media is in the claims. At most as many as are submitted at once. */
export async function settleCut(batch: BatchComponents): Promise<void> {
  const { items, env } = batch;
  const cut = items.page({ status: "submitting", after: 0, limit: MAX_CUT });
  const sourceIds = cut.map(({ video }) => video.id);
  const known = await findImported(openDatabase(env.DB), accountOf(batch), sourceIds);
  for (const item of cut) {
    const claim = known.get(item.video.id);
    if (claim === undefined) items.set(item.seq, { status: "pending", dueMs: 0 });
    else adopt(batch, item, claim);
  }
}

const MAX_CUT = 1000;

export const CANCELLED = { code: "cancelled", message: ITEM_ERRORS.cancelled };
