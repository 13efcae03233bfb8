import { openDatabase } from "../../platform/database.ts";
import { errorFields, log, logWarning } from "../../platform/log.ts";
import { Problem } from "../../platform/http/problems.ts";
import { allowsPrivateNetwork } from "../../platform/network/index.ts";
import { createAsset, deleteAsset } from "../../library/assets/index.ts";
import { findImported, type ImportedVideo, insertClaim } from "../store/claims.ts";
import {
  ITEM_ERRORS,
  type ListedCaption,
  type ListedVideo,
  type Resolution,
  type Source,
  SourceFailure,
} from "../sources/source.ts";
import { mediaBodyOf } from "./media-body.ts";
import type { BatchComponents } from "./components.ts";
import type { Item } from "./item-table.ts";
import { sourceOf } from "./open-batch-source.ts";
import { isQuiet, noteAnswer } from "./work.ts";

/** Attempts of an item, unless the whole source does not answer. */
const MAX_ATTEMPTS = 5;
/** Media that may be in preparation for each encoder: it then never waits, and the uploads of others do not queue behind a whole library. */
const MEDIA_PER_ENCODER = 4;
const LEAST_OPEN_MEDIA = 16;
/** Files that the source prepares at once, for each video that is worked on. */
const PREPARED_PER_WORKER = 4;
const FIRST_RETRY_MS = 5_000;
/** Items that are taken at once. */
const ROUND = 100;
/** Captions that come as text are given once the media is ready. */
const OWES_TEXTS = { owesTexts: true };

/**
 * Submits pending items, as many at once as the source allows and the encoders take.
 *
 * @returns how many items were looked at
 * @throws {SourceFailure} that concerns every item
 */
export async function submitSome(batch: BatchComponents): Promise<number> {
  const { items, documents, env, order } = batch;
  const openMedia = Math.max(LEAST_OPEN_MEDIA, Number(env.ENCODER_CONTAINERS) * MEDIA_PER_ENCODER);
  const room = openMedia - items.counts.submitted;
  if (room <= 0 || items.counts.pending === 0) return 0;
  const source = await sourceOf(batch);
  const { concurrency } = source.pace;
  const due = items.takeDue(Math.min(room, ROUND), concurrency * PREPARED_PER_WORKER - items.preparing);
  if (due.length === 0) return 0;
  const account = { workspaceId: order.workspaceId, source: order.source, account: documents.get("account") ?? "" };
  const known = await findImported(
    openDatabase(env.DB),
    account,
    due.map(({ video }) => video.id),
  );
  const queue = [...due];
  const failures: unknown[] = [];
  const worker = async () => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) {
      if (failures.length > 0 || isQuiet(batch) || batch.state.status !== "running") return;
      await submitItem(batch, source, item, known.get(item.video.id) ?? null).catch((error: unknown) => {
        failures.push(error);
      });
    }
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, due.length) }, worker));
  if (failures.length > 0) throw failures[0];
  return due.length;
}

/** @throws {SourceFailure | Problem} what concerns every item: the item then stays pending */
async function submitItem(
  batch: BatchComponents,
  source: Source,
  item: Item,
  known: ImportedVideo | null,
): Promise<void> {
  const { items } = batch;
  try {
    const claim = item.mediaId !== null && known !== null ? await forgetFailed(batch, item, known) : known;
    if (claim !== null) return adopt(batch, item, claim);
    const isKnown = item.video.obstacle === null && (!source.listIsPartial || item.preparing !== null);
    const video = isKnown ? item.video : await lookAgain(batch, source, item);
    if (video === null) return;
    if (source.needsRelease) items.set(item.seq, { owesRelease: true });
    const resolved = await source.resolve(video, item.preparing);
    noteAnswer(batch);
    if (resolved.status === "waiting")
      return items.set(item.seq, { preparing: resolved.state, dueMs: batch.clock() + resolved.retryAfterMs });
    const captions = batch.order.settings.captions ? (video.captions ?? (await source.captions(video))) : [];
    // What was ordered of the source is known to `release` by the video alone.
    const ordered = item.preparing === null ? video : { ...video, ref: { ...video.ref, ...item.preparing } };
    if (ordered !== video) items.set(item.seq, { video: ordered });
    await create(batch, { ...item, video: ordered }, resolved, captions);
  } catch (error) {
    judge(batch, item, error);
  }
}

/** The item's media, made by this batch before a crash; or the one that another batch has made. */
function adopt(
  { items, order, clock }: BatchComponents,
  { seq, video }: Item,
  { batchId, mediaId, playbackId }: ImportedVideo,
): void {
  if (batchId === order.batchId) {
    const preparing = order.settings.captions && video.captions === null ? OWES_TEXTS : null;
    return items.set(seq, { status: "submitted", mediaId, playbackId, dueMs: clock(), preparing });
  }
  const error = { code: "already_imported", message: ITEM_ERRORS.already_imported };
  items.set(seq, { status: "skipped", mediaId, playbackId, error, preparing: null });
}

/** An item that is tried again has a media that failed. It is deleted, and its claim with it. */
async function forgetFailed(batch: BatchComponents, item: Item, known: ImportedVideo): Promise<ImportedVideo | null> {
  const { env, order, runtime, clock } = batch;
  if (known.mediaId !== item.mediaId || known.batchId !== order.batchId) return known;
  const key = { workspaceId: order.workspaceId, assetId: known.mediaId };
  await deleteAsset(env, key, new Date(clock()), runtime.after);
  batch.items.set(item.seq, { mediaId: null, playbackId: null });
  return null;
}

/** The video as the source describes it now: what stood against it may have changed, and the list may say less of it. @returns null when it still does, and the item has failed */
async function lookAgain(
  { items }: BatchComponents,
  source: Source,
  { seq, video }: Item,
): Promise<ListedVideo | null> {
  const current = await source.describe(video.id);
  if (current !== null && current.obstacle === null) {
    items.set(seq, { video: current });
    return current;
  }
  const error = current?.obstacle ?? { code: "video_gone", message: ITEM_ERRORS.video_gone };
  items.set(seq, { status: "failed", error });
  return null;
}

/** Creates the media with its claim, in one commit. */
async function create(
  batch: BatchComponents,
  item: Item,
  resolved: Extract<Resolution, { status: "ready" }>,
  captions: ListedCaption[],
): Promise<void> {
  const { env, order, items, clock, documents, runtime } = batch;
  const address = { url: resolved.url, allowPrivateNetwork: allowsPrivateNetwork(env) };
  const { body, inputs, texts, differences } = mediaBodyOf(item.video, order.settings, address, captions);
  if (batch.state.status !== "running") return; // it was cancelled or paused while the source was asked
  items.set(item.seq, { status: "submitting" });
  const db = openDatabase(env.DB);
  const now = new Date(clock());
  const oldIds = item.video.playbackIds.map(({ id }) => id);
  let claim: ImportedVideo | null = null;
  await createAsset(body, inputs, {
    env,
    workspaceId: order.workspaceId,
    publicUrl: order.publicUrl,
    now,
    after: runtime.after,
    keep: async ({ id, answer }) => {
      claim = {
        workspaceId: order.workspaceId,
        source: order.source,
        account: documents.get("account") ?? "",
        sourceId: item.video.id,
        mediaId: id,
        playbackId: (answer as { playback_id: string }).playback_id,
        batchId: order.batchId,
        createdAt: now,
      };
      return insertClaim(db, claim, oldIds);
    },
  });
  const { mediaId, playbackId } = claim! as ImportedVideo;
  items.set(item.seq, {
    status: "submitted",
    mediaId,
    playbackId,
    dueMs: clock() + 1000,
    preparing: texts.length === 0 ? null : OWES_TEXTS,
    error: null,
    differences,
  });
  log("import.submitted", { batchId: order.batchId, seq: item.seq, mediaId });
}

/** What a failure means for an item. @throws what concerns every item */
function judge(batch: BatchComponents, item: Item, error: unknown): void {
  const { items, clock, documents, order } = batch;
  if (items.get(item.seq)?.status === "submitting") items.set(item.seq, { status: "pending" });
  const fail = (code: string, message: string) => items.set(item.seq, { status: "failed", error: { code, message } });
  if (error instanceof Problem && error.code === "validation_failed") {
    const words = error.fields.map(({ field, message }) => `${field} ${message}`).join("; ");
    return fail("not_accepted", `${ITEM_ERRORS.not_accepted} ${words}`.trim());
  }
  if (error instanceof Problem && error.code !== "unavailable" && error.code !== "internal") {
    if (error.code === "media_limit_reached" || error.code === "storage_limit_reached") throw error;
    return fail("not_accepted", `${ITEM_ERRORS.not_accepted} ${error.message}`);
  }
  if (error instanceof SourceFailure) {
    if (error.code === "credentials_invalid" || error.code === "source_rate_limited") throw error;
    if (error.retryAfterMs === null) return fail(error.code, error.message);
  }
  // A source that answers nobody is no fault of this item.
  const failures = (documents.get("failures") ?? 0) + 1;
  if (error instanceof SourceFailure && error.code === "source_unavailable" && failures > MAX_ATTEMPTS) throw error;
  documents.put("failures", failures);
  const attempts = item.attempts + 1;
  const { code, message, waitMs } = causeOf(error);
  if (code === "internal")
    logWarning("import.item_failed", { batchId: order.batchId, seq: item.seq, ...errorFields(error) });
  if (attempts >= MAX_ATTEMPTS) return fail(code, message);
  const dueMs = clock() + Math.max(waitMs, FIRST_RETRY_MS * 2 ** (attempts - 1));
  items.set(item.seq, { attempts, dueMs });
}

function causeOf(error: unknown): { code: string; message: string; waitMs: number } {
  if (error instanceof SourceFailure)
    return { code: error.code, message: error.message, waitMs: error.retryAfterMs ?? 0 };
  return { code: "internal", message: ITEM_ERRORS.internal, waitMs: 0 };
}
