import { findAsset } from "../../library/assets/index.ts";
import { giveChapters } from "../../library/insights/index.ts";
import { openDatabase } from "../../platform/database.ts";
import { log } from "../../platform/log.ts";
import type { Difference } from "../batches/batch-calls.ts";
import { SourceFailure } from "../sources/source.ts";
import { verifyMedia } from "../verify/verify-media.ts";
import type { BatchComponents } from "./components.ts";
import { giveTexts } from "./give-texts.ts";
import type { Item } from "./item.ts";
import { mediaBodyOf } from "./media-body.ts";
import { sourceOf } from "./open-batch-source.ts";
import { quietUntilMs } from "./wait.ts";

/** What is still being prepared of a ready media, such as captions, is waited for so long. */
const MAX_WAIT_MS = 10 * 60_000;
const LOOK_AGAIN_MS = 5_000;

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
  const readyAtMs = item.following.readyAtMs ?? clock();
  const isLastLook = clock() - readyAtMs >= MAX_WAIT_MS;
  const texts = item.following.owesTexts === true ? await giveOwedTexts(batch, item, id, isLastLook) : NOTHING_OWED;
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
  const all = unique([...differences, ...result.differences, ...(isComplete ? [] : result.unfinished)]);
  items.set(item.seq, { status: "ready", following: {}, differences: all });
  log("import.item_ready", { batchId: order.batchId, seq: item.seq, mediaId: id, differences: all.length });
  return null;
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
const UNREAD: Difference = { field: "captions", message: "the source did not give them" };

/** A source that asks for a pause is not asked, and one that fails is asked again: for ten minutes, as everything that a ready media waits for. */
async function giveOwedTexts(
  batch: BatchComponents,
  item: Item,
  mediaId: string,
  isLastLook: boolean,
): Promise<GivenTexts> {
  const { env, order, clock } = batch;
  const owed = isLastLook ? { areOwed: false, differences: [UNREAD] } : { areOwed: true, differences: [] };
  if (quietUntilMs(batch) !== null) return owed;
  try {
    const source = await sourceOf(batch);
    const captions = item.video.captions ?? (await source.captions(item.video));
    const address = { url: "https://example.com/", allowPrivateNetwork: false }; // of the file, which is not asked for again
    const { texts } = mediaBodyOf(item.video, order.settings, address, captions);
    return { areOwed: false, differences: await giveTexts(env, mediaId, texts, new Date(clock())) };
  } catch (error) {
    if (!(error instanceof SourceFailure)) throw error;
    return owed;
  }
}

const unique = (differences: Difference[]): Difference[] => [
  ...new Map(differences.map((one) => [`${one.field} ${one.message}`, one])).values(),
];
