import { errorFields, logWarning } from "../../platform/log.ts";
import type { ImportedVideo } from "../store/claims.ts";
import { ITEM_ERRORS, type ListedVideo, type Source, SourceFailure } from "../sources/source.ts";
import { requireWell } from "./account.ts";
import { adopt, forgetFailed } from "./adopt.ts";
import { boundVideo } from "./bound-video.ts";
import type { BatchComponents } from "./components.ts";
import { createMedia } from "./create-media.ts";
import type { Item, ItemError } from "./item.ts";
import { describedNow } from "./open-batch-source.ts";
import { judge } from "./judge.ts";
import { noteAnswer, noteFailure } from "./wait.ts";

/**
 * Makes a media of a pending item, or asks the source to prepare its file.
 *
 * @param known the claim of its video
 * @throws {SourceFailure | Problem} what concerns every item: the item then stays pending
 */
export async function submitItem(
  batch: BatchComponents,
  source: Source,
  item: Item,
  known: ImportedVideo | null,
): Promise<void> {
  try {
    const claim = item.mediaId === null ? known : await forgetFailed(batch, item, item.mediaId, known);
    if (claim !== null) return adopt(batch, item, claim);
    await fetchAndCreate(batch, source, item);
  } catch (error) {
    await settleFailure(batch, source, item, error);
  }
}

async function fetchAndCreate(batch: BatchComponents, source: Source, item: Item): Promise<void> {
  const { items, order } = batch;
  const isKnown = item.video.obstacle === null && (!source.listIsPartial || item.preparing !== null);
  const video = isKnown ? item.video : await lookAgain(batch, source, item);
  if (video === null) return;
  if (source.needsRelease) items.set(item.seq, { owesRelease: true });
  const resolved = await source.resolve(video, item.preparing);
  noteAnswer(batch);
  if (resolved.status === "waiting") return waitForFile(batch, item, resolved);
  const captions = order.settings.captions ? (video.captions ?? (await source.captions(video))) : [];
  // What was ordered of the source is known to `release` by the video alone, and verification compares what it says.
  const audioTracks = resolved.audioTracks ?? video.audioTracks;
  const isSaid = item.preparing === null && audioTracks === video.audioTracks;
  const ordered = isSaid ? video : { ...video, audioTracks, ref: { ...video.ref, ...item.preparing } };
  if (ordered !== video) items.set(item.seq, { video: ordered });
  await createMedia(batch, { ...item, video: ordered }, resolved.url, captions);
}

/** A file that the source has not prepared after this time is given up. */
const MAX_PREPARING_MS = 2 * 3_600_000;
/** It is asked for again after a part of the time that it has taken already, so that slow ones do not use up the source's rate. */
const PATIENCE = 1 / 5;

function waitForFile(
  { items, clock }: BatchComponents,
  { seq, following }: Item,
  { state, retryAfterMs }: { state: Record<string, unknown>; retryAfterMs: number },
): void {
  const sinceMs = following.preparingSinceMs ?? clock();
  const tookMs = clock() - sinceMs;
  if (tookMs >= MAX_PREPARING_MS) return items.set(seq, { status: "failed", error: NEVER_PREPARED });
  const dueMs = clock() + Math.max(retryAfterMs, tookMs * PATIENCE);
  items.set(seq, { preparing: state, following: { ...following, preparingSinceMs: sinceMs }, dueMs });
}

const NEVER_PREPARED: ItemError = {
  code: "no_file",
  message: "The source was asked for the file two hours ago, and has not prepared it.",
};

/** The video as the source describes it now: what stood against it may have changed, and the list may say less of it. @returns null when it still does, and the item has failed */
async function lookAgain(batch: BatchComponents, source: Source, { seq, video }: Item): Promise<ListedVideo | null> {
  const { items } = batch;
  const current = await describedNow(batch, source, video);
  if (current !== null && current.obstacle === null) {
    const bounded = boundVideo(current);
    items.set(seq, { video: bounded });
    return bounded;
  }
  const error = current?.obstacle ?? { code: "video_gone", message: ITEM_ERRORS.video_gone };
  items.set(seq, { status: "failed", error });
  return null;
}

/** @throws what concerns every item */
async function settleFailure(batch: BatchComponents, source: Source, item: Item, error: unknown): Promise<void> {
  const { items, clock, documents, order } = batch;
  const isOfSource = error instanceof SourceFailure && error.retryAfterMs !== null;
  const verdict = judge(error, {
    attempts: item.attempts,
    failuresInRow: (documents.get("failures") ?? 0) + (isOfSource ? 1 : 0),
  });
  // A cancel ends items that are pending, but not one that is being submitted.
  if (items.get(item.seq)?.status === "submitting") items.set(item.seq, { status: "pending" });
  if (verdict.kind === "batch") throw error;
  if (isOfSource) noteFailure(batch);
  if (verdict.suspectsSource) {
    await requireWell(source);
    noteAnswer(batch);
  }
  if (verdict.error.code === "internal")
    logWarning("import.item_failed", { batchId: order.batchId, seq: item.seq, ...errorFields(error) });
  if (verdict.kind === "fail") return items.set(item.seq, { status: "failed", error: verdict.error });
  items.set(item.seq, { attempts: item.attempts + 1, dueMs: clock() + verdict.waitMs });
}
