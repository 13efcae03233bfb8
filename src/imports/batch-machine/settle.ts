import { sql } from "drizzle-orm";
import { assets, deleteAsset } from "../../library/assets/index.ts";
import { commit, openDatabase } from "../../platform/database.ts";
import { errorFields, log, logWarning } from "../../platform/log.ts";
import { deleteClaims } from "../store/claims.ts";
import { ITEM_ERRORS } from "../sources/source.ts";
import type { Difference } from "../batches/batch-calls.ts";
import type { BatchComponents } from "./components.ts";
import type { Item } from "./item.ts";
import { settleReady } from "./settle-ready.ts";

export const SETTLE_EVERY_MS = 2_000;
/** Items that are looked at together, in one query. Each that is ready makes about twelve subrequests. */
const AT_ONCE = 20;
const VERIFIED_AT_ONCE = 4;
/** Media of an item that are given up because of their file's address. */
const MAX_RENEWALS = 2;
const LOOK_AGAIN_MS = 5_000;
const MAX_FAILING_MS = 3_600_000;
const MOST_WAIT_MS = 5 * 60_000;

/** Failures of a source's file that pass by themselves. */
const PASSING = new Set(["source_unavailable", "source_interrupted", "source_timed_out", "source_unreachable"]);
/** Those that a new address may mend, where the source makes one. */
const OF_ADDRESS = new Set(["source_denied", "source_not_found"]);

export type FoundMedia = Pick<
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

async function findMedia({ env }: BatchComponents, items: readonly Item[]): Promise<Map<string, FoundMedia>> {
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
async function settleItem(batch: BatchComponents, item: Item, media: FoundMedia | null): Promise<boolean> {
  const { items, clock } = batch;
  const later = (waitMs: number): false => {
    items.set(item.seq, { dueMs: clock() + waitMs });
    return false;
  };
  try {
    if (media === null || media.deletedAt !== null)
      return failItem(batch, item, "media_deleted", ITEM_ERRORS.media_deleted);
    if (media.status === "errored") return await settleErrored(batch, item, media);
    if (media.status !== "ready") return later(SETTLE_EVERY_MS);
    const waitMs = await settleReady(batch, item, media);
    return waitMs === null ? true : later(waitMs);
  } catch (error) {
    logWarning("import.settle_failed", { batchId: batch.order.batchId, seq: item.seq, ...errorFields(error) });
    return media?.status === "ready" ? settleUnverified(batch, item) : later(LOOK_AGAIN_MS);
  }
}

/** A fault of this service must not hold up the end of a batch whose media are ready. @returns whether the item has ended */
function settleUnverified({ items, clock }: BatchComponents, { seq, following, differences }: Item): boolean {
  const failingSinceMs = following.failingSinceMs ?? clock();
  const failingMs = clock() - failingSinceMs;
  if (failingMs < MAX_FAILING_MS) {
    const waitMs = Math.min(MOST_WAIT_MS, Math.max(LOOK_AGAIN_MS, failingMs / 5));
    items.set(seq, { dueMs: clock() + waitMs, following: { ...following, failingSinceMs } });
    return false;
  }
  items.set(seq, { status: "ready", following: {}, differences: [...differences, UNVERIFIED] });
  return true;
}

const UNVERIFIED: Difference = { field: "media", message: "an error of the service kept it from being verified" };

function failItem({ items }: BatchComponents, { seq }: Item, code: string, message: string): true {
  items.set(seq, { status: "failed", error: { code, message } });
  return true;
}

/** A media that failed because of its file gets another address, and is then a new media; others stay for their owner to look at. */
async function settleErrored(batch: BatchComponents, item: Item, media: FoundMedia): Promise<boolean> {
  const { items, env, order, clock, runtime } = batch;
  const { id, errorCode, errorMessage } = media;
  if (!isMendable(batch, item, errorCode ?? "")) {
    await commit(env.DB, deleteClaims(openDatabase(env.DB), id)); // another batch may try the video again
    return failItem(batch, item, errorCode ?? "media_failed", errorMessage ?? ITEM_ERRORS.media_failed);
  }
  await deleteAsset(env, { workspaceId: order.workspaceId, assetId: id }, new Date(clock()), runtime.after);
  items.set(item.seq, {
    status: "pending",
    mediaId: null,
    playbackId: null,
    renewals: item.renewals + 1,
    attempts: 0,
    preparing: null,
    following: {},
    differences: [],
    dueMs: clock() + LOOK_AGAIN_MS * 2 ** item.renewals,
  });
  log("import.resolved_anew", { batchId: order.batchId, seq: item.seq, code: errorCode });
  return false;
}

/** A list has one address for each video, and no other one. */
function isMendable({ state, order }: BatchComponents, { renewals }: Item, code: string): boolean {
  if (renewals >= MAX_RENEWALS || (state.status !== "running" && state.status !== "paused")) return false;
  return PASSING.has(code) || (OF_ADDRESS.has(code) && order.source !== "list");
}
