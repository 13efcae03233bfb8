import { sql } from "drizzle-orm";
import { assets, deleteAsset, findAsset } from "../../library/assets/index.ts";
import { giveChapters } from "../../library/insights/index.ts";
import { openDatabase } from "../../platform/database.ts";
import { errorFields, log, logWarning } from "../../platform/log.ts";
import type { Difference } from "../batches/batch-calls.ts";
import { ITEM_ERRORS } from "../sources/source.ts";
import { verifyMedia } from "../verify/verify-media.ts";
import type { BatchComponents } from "./components.ts";
import { giveTexts } from "./give-texts.ts";
import type { Item } from "./item-table.ts";
import { mediaBodyOf } from "./media-body.ts";
import { sourceOf } from "./open-batch-source.ts";

export const SETTLE_EVERY_MS = 2_000;
/** Items that are looked at together, in one query. */
const AT_ONCE = 50;
const VERIFIED_AT_ONCE = 4;
/** A file whose address may have expired while the media waited is resolved anew so often. */
const MAX_RESOLVED = 3;
/** What is still being prepared of a ready media, such as captions, is waited for so long. */
const MAX_WAIT_MS = 10 * 60_000;
const LOOK_AGAIN_MS = 5_000;

/** Failures of a source's file that a new address may mend. */
const EXPIRED = new Set([
  "source_denied",
  "source_not_found",
  "source_unavailable",
  "source_interrupted",
  "source_timed_out",
  "source_unreachable",
]);

type Found = Pick<
  typeof assets.$inferSelect,
  "id" | "status" | "errorCode" | "errorMessage" | "deletedAt" | "durationMs"
>;

/** Looks at submitted items whose media may have ended. @returns how many items have ended */
export async function settleSubmitted(batch: BatchComponents): Promise<number> {
  const due = batch.items.submittedDue(AT_ONCE);
  if (due.length === 0) return 0;
  const found = await findMedia(batch, due);
  const queue = [...due];
  let ended = 0;
  const worker = async () => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift())
      if (await settleItem(batch, item, found.get(item.mediaId ?? "") ?? null)) ended += 1;
  };
  await Promise.all(Array.from({ length: VERIFIED_AT_ONCE }, worker));
  return ended;
}

async function findMedia({ env }: BatchComponents, items: readonly Item[]): Promise<Map<string, Found>> {
  const ids = JSON.stringify(items.map(({ mediaId }) => mediaId));
  const rows = await openDatabase(env.DB)
    .select({
      id: assets.id,
      status: assets.status,
      errorCode: assets.errorCode,
      errorMessage: assets.errorMessage,
      deletedAt: assets.deletedAt,
      durationMs: assets.durationMs,
    })
    .from(assets)
    .where(sql`${assets.id} IN (SELECT value FROM json_each(${ids}))`);
  return new Map(rows.map((row) => [row.id, row]));
}

/** @returns whether the item has ended */
async function settleItem(batch: BatchComponents, item: Item, media: Found | null): Promise<boolean> {
  const { items, clock } = batch;
  try {
    if (media === null || media.deletedAt !== null)
      return fail(batch, item, "media_deleted", ITEM_ERRORS.media_deleted);
    if (media.status === "errored") return await failed(batch, item, media);
    if (media.status !== "ready") return later(batch, item, SETTLE_EVERY_MS);
    return await verified(batch, item, media);
  } catch (error) {
    logWarning("import.settle_failed", { batchId: batch.order.batchId, seq: item.seq, ...errorFields(error) });
    items.set(item.seq, { dueMs: clock() + LOOK_AGAIN_MS });
    return false;
  }
}

function later({ items, clock }: BatchComponents, { seq }: Item, waitMs: number): false {
  items.set(seq, { dueMs: clock() + waitMs });
  return false;
}

function fail({ items }: BatchComponents, { seq }: Item, code: string, message: string): true {
  items.set(seq, { status: "failed", error: { code, message } });
  return true;
}

/** A media that failed because of its file gets another address, and is then a new media; others stay for their owner to look at. */
async function failed(batch: BatchComponents, item: Item, { id, errorCode, errorMessage }: Found): Promise<boolean> {
  const { items, env, order, clock, runtime } = batch;
  const isMendable =
    EXPIRED.has(errorCode ?? "") && item.attempts + 1 < MAX_RESOLVED && batch.state.status === "running";
  if (!isMendable) return fail(batch, item, errorCode ?? "media_failed", errorMessage ?? ITEM_ERRORS.media_failed);
  await deleteAsset(env, { workspaceId: order.workspaceId, assetId: id }, new Date(clock()), runtime.after);
  items.set(item.seq, {
    status: "pending",
    mediaId: null,
    playbackId: null,
    attempts: item.attempts + 1,
    dueMs: clock() + LOOK_AGAIN_MS * 2 ** item.attempts,
  });
  log("import.resolved_anew", { batchId: order.batchId, seq: item.seq, code: errorCode });
  return false;
}

/** Gives a ready media what comes only then, and compares it with the source. @returns false while something of it is still being prepared */
async function verified(batch: BatchComponents, item: Item, { id, durationMs }: Found): Promise<boolean> {
  const { env, order, items, clock, runtime } = batch;
  const now = new Date(clock());
  const given = item.preparing?.["owesTexts"] === true ? await giveOwedTexts(batch, item, id) : [];
  const { chapters } = item.video;
  if (chapters.length > 0 && durationMs !== null) {
    const committed = await giveChapters(
      env,
      { workspaceId: order.workspaceId, assetId: id },
      chapters,
      durationMs,
      now,
    );
    await committed?.wake();
  }
  const record = await findAsset(openDatabase(env.DB), order.workspaceId, id);
  if (record === null) return fail(batch, item, "media_deleted", ITEM_ERRORS.media_deleted);
  const result = await verifyMedia(env, runtime.self, { record, video: item.video, settings: order.settings }, now);
  const readySinceMs = (item.preparing?.["readyAtMs"] as number | undefined) ?? clock();
  const differences = [...item.differences, ...given];
  if (!result.isComplete && clock() - readySinceMs < MAX_WAIT_MS) {
    items.set(item.seq, { preparing: { readyAtMs: readySinceMs }, differences, dueMs: clock() + LOOK_AGAIN_MS });
    return false;
  }
  items.set(item.seq, {
    status: "ready",
    preparing: null,
    differences: unique([...differences, ...result.differences]),
  });
  log("import.item_ready", {
    batchId: order.batchId,
    seq: item.seq,
    mediaId: id,
    differences: result.differences.length,
  });
  return true;
}

async function giveOwedTexts(batch: BatchComponents, item: Item, mediaId: string): Promise<Difference[]> {
  const source = await sourceOf(batch);
  const captions = item.video.captions ?? (await source.captions(item.video));
  const address = { url: "https://example.com/", allowPrivateNetwork: false }; // of the file, which is not asked for again
  const { texts } = mediaBodyOf(item.video, batch.order.settings, address, captions);
  return await giveTexts(batch.env, mediaId, texts, new Date(batch.clock()));
}

const unique = (differences: Difference[]): Difference[] => [
  ...new Map(differences.map((one) => [`${one.field} ${one.message}`, one])).values(),
];
