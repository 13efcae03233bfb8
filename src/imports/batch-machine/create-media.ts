import { createAsset } from "../../library/assets/index.ts";
import { openDatabase } from "../../platform/database.ts";
import { log } from "../../platform/log.ts";
import { allowsPrivateNetwork } from "../../platform/network/index.ts";
import { findImported, type ImportedVideo, insertClaim } from "../store/claims.ts";
import type { ListedCaption } from "../sources/source.ts";
import { accountOf } from "./account.ts";
import { adopt } from "./adopt.ts";
import type { BatchComponents } from "./components.ts";
import type { Item } from "./item.ts";
import { mediaBodyOf } from "./media-body.ts";

/** The media is looked at first after this time. */
const FIRST_LOOK_MS = 1000;

/**
 * Creates the media with its claim, in one commit. Without effect in a batch that was paused or cancelled meanwhile. Where another batch has
 * the video by now, or the answer of an own commit was lost, the media that exists is taken.
 *
 * @param url of the file
 * @throws {Problem}
 */
export async function createMedia(
  batch: BatchComponents,
  item: Item,
  url: string,
  captions: ListedCaption[],
): Promise<void> {
  const { env, order, items, clock } = batch;
  const address = { url, allowPrivateNetwork: allowsPrivateNetwork(env) };
  const made = mediaBodyOf(item.video, order.settings, address, captions);
  if (batch.state.status !== "running") return;
  items.set(item.seq, { status: "submitting" });
  const claim = await commitMedia(batch, item, made).catch(async (error: unknown) => {
    const known = await findImported(openDatabase(env.DB), accountOf(batch), [item.video.id]);
    const existing = known.get(item.video.id);
    if (existing === undefined) throw error;
    return existing;
  });
  if (claim.batchId !== order.batchId) return adopt(batch, item, claim);
  items.set(item.seq, {
    status: "submitted",
    mediaId: claim.mediaId,
    playbackId: claim.playbackId,
    dueMs: clock() + FIRST_LOOK_MS,
    preparing: null,
    following: made.texts.length === 0 ? {} : { owesTexts: true },
    error: null,
    differences: made.differences,
  });
  log("import.submitted", { batchId: order.batchId, seq: item.seq, mediaId: claim.mediaId });
}

async function commitMedia(
  batch: BatchComponents,
  { video }: Item,
  { body, inputs }: ReturnType<typeof mediaBodyOf>,
): Promise<ImportedVideo> {
  const { env, order, clock, runtime } = batch;
  const { workspaceId, publicUrl, batchId } = order;
  const now = new Date(clock());
  let claim: ImportedVideo | null = null;
  await createAsset(body, inputs, {
    env,
    workspaceId,
    publicUrl,
    now,
    after: runtime.after,
    keep: async ({ id, answer }) => {
      const { playback_id: playbackId } = answer as { playback_id: string };
      claim = { ...accountOf(batch), sourceId: video.id, mediaId: id, playbackId, batchId, createdAt: now };
      const oldIds = video.playbackIds.map((one) => one.id);
      return insertClaim(openDatabase(env.DB), claim, oldIds);
    },
  });
  return claim!;
}
