import { findAsset } from "../../library/assets/index.ts";
import { giveChapters } from "../../library/insights/index.ts";
import { commit, openDatabase } from "../../platform/database.ts";
import { log } from "../../platform/log.ts";
import type { Difference } from "../batches/batch-calls.ts";
import { SourceFailure } from "../sources/source.ts";
import { requireWell } from "./account.ts";
import { insertOldPlaybackIds } from "../store/claims.ts";
import { verifyMedia } from "../verify/verify-media.ts";
import type { BatchComponents } from "./components.ts";
import { giveTexts } from "./give-texts.ts";
import type { Item } from "./item.ts";
import { mediaBodyOf } from "./media-body.ts";
import { sourceOf } from "./open-batch-source.ts";
import { quietUntilMs, waitFor } from "./wait.ts";

/** What is still being prepared of a ready media, such as captions, is waited for so long. */
const MAX_WAIT_MS = 10 * 60_000;
const LOOK_AGAIN_MS = 5_000;
/** While the source is not asked. */
const MAX_REST_MS = 60_000;

/**
 * Gives a ready media what comes only then, and compares it with the source.
 *
 * @returns null when the item has ended; else it is looked at again after so many ms
 */
export async function settleReady(
  batch: BatchComponents,
  item: Item,
  { id, durationMs }: { id: string; durationMs: number | null },
): Promise<number | null> {
  const { env, order, items, clock, runtime } = batch;
  const now = new Date(clock());
  const owesTexts = item.following.owesTexts === true;
  if (owesTexts && !mayAsk(batch)) return untilAsked(batch);
  const readyAtMs = item.following.readyAtMs ?? clock();
  const isLastLook = clock() - readyAtMs >= MAX_WAIT_MS;
  const texts = owesTexts ? await giveOwedTexts(batch, item, id, isLastLook) : NOTHING_OWED;
  if (texts.areOwed && !mayAsk(batch)) return untilAsked(batch);
  await giveOwnChapters(batch, item, id, durationMs);
  const record = await findAsset(openDatabase(env.DB), order.workspaceId, id);
  if (record === null) return LOOK_AGAIN_MS; // it was deleted just now
  const result = await verifyMedia(env, runtime.self, { record, video: item.video, settings: order.settings }, now);
  const differences = unique([...item.differences, ...texts.differences]);
  const isComplete = result.isComplete && !texts.areOwed;
  if (!isComplete && !isLastLook) {
    const following = { readyAtMs, ...(texts.areOwed && { owesTexts: true as const }) };
    items.set(item.seq, { following, differences });
    return LOOK_AGAIN_MS;
  }
  await claimOldIds(batch, item, id);
  const all = unique([...differences, ...result.differences, ...(isComplete ? [] : result.unfinished)]);
  items.set(item.seq, { status: "ready", following: {}, differences: all });
  log("import.item_ready", { batchId: order.batchId, seq: item.seq, mediaId: id, differences: all.length });
  return null;
}

/** Once more: the media that had them first may have failed meanwhile. */
async function claimOldIds(
  { env, order }: BatchComponents,
  { video, playbackId }: Item,
  mediaId: string,
): Promise<void> {
  if (video.playbackIds.length === 0 || playbackId === null) return;
  const { workspaceId, source } = order;
  const db = openDatabase(env.DB);
  const oldIds = video.playbackIds.map((one) => one.id);
  await commit(env.DB, insertOldPlaybackIds(db, { workspaceId, source, playbackId, mediaId }, oldIds));
}

async function giveOwnChapters(
  { env, order, clock }: BatchComponents,
  { video: { chapters } }: Item,
  assetId: string,
  durationMs: number | null,
): Promise<void> {
  if (chapters.length === 0 || durationMs === null) return;
  const key = { workspaceId: order.workspaceId, assetId };
  const committed = await giveChapters(env, key, chapters, durationMs, new Date(clock()));
  await committed?.wake();
}

interface GivenTexts {
  /** The source could not be asked yet. */
  areOwed: boolean;
  differences: Difference[];
}

const NOTHING_OWED: GivenTexts = { areOwed: false, differences: [] };
const STILL_OWED: GivenTexts = { areOwed: true, differences: [] };
const GIVEN_UP: GivenTexts = {
  areOwed: false,
  differences: [{ field: "captions", message: "the source did not give them" }],
};

/** Whether the source may be asked. A cancelled batch waits for nothing. */
const mayAsk = (batch: BatchComponents): boolean =>
  batch.state.status === "cancelled" || (batch.state.status === "running" && quietUntilMs(batch) === null);

/** The ten minutes begin when the source may be asked: captions are not lost because it rests for an hour. */
function untilAsked(batch: BatchComponents): number {
  const untilMs = quietUntilMs(batch);
  return untilMs === null ? MAX_REST_MS : Math.min(MAX_REST_MS, Math.max(LOOK_AGAIN_MS, untilMs - batch.clock()));
}

/** A source that fails is asked again for ten minutes. If it fails as a whole then, or asks for a pause, the batch waits for it. */
async function giveOwedTexts(
  batch: BatchComponents,
  item: Item,
  mediaId: string,
  isLastLook: boolean,
): Promise<GivenTexts> {
  const { env, order, clock } = batch;
  if (quietUntilMs(batch) !== null) return isLastLook ? GIVEN_UP : STILL_OWED;
  try {
    const source = await sourceOf(batch);
    const captions = item.video.captions ?? (await source.captions(item.video));
    const address = { url: "https://example.com/", allowPrivateNetwork: false }; // of the file, which is not asked for again
    const { texts } = mediaBodyOf(item.video, order.settings, address, captions);
    return { areOwed: false, differences: await giveTexts(env, mediaId, texts, new Date(clock())) };
  } catch (error) {
    if (!(error instanceof SourceFailure)) throw error;
    const ofSource = await failureOfSource(batch, error, isLastLook);
    if (ofSource !== null) waitFor(batch, ofSource);
    return ofSource === null && isLastLook ? GIVEN_UP : STILL_OWED;
  }
}

/** What stands against the whole source; null = it is this item's, or is not known yet. */
async function failureOfSource(batch: BatchComponents, error: SourceFailure, isLastLook: boolean): Promise<unknown> {
  if (batch.state.status === "cancelled") return null;
  if (error.code === "source_rate_limited" || error.code === "credentials_invalid") return error;
  if (!isLastLook) return null;
  return await sourceOf(batch)
    .then(requireWell)
    .then(
      () => null,
      (refusal: unknown) => refusal,
    );
}

const unique = (differences: Difference[]): Difference[] => [
  ...new Map(differences.map((one) => [`${one.field} ${one.message}`, one])).values(),
];
