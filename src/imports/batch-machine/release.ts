import { errorFields, log, logWarning } from "../../platform/log.ts";
import { type ListedVideo, type Source, SourceFailure } from "../sources/source.ts";
import type { BatchComponents } from "./components.ts";
import type { Item } from "./item.ts";
import { sourceOf } from "./open-batch-source.ts";
import { isFinal } from "./wait.ts";

const AT_ONCE = 4;
/** After these the source stays as it is, and the report says so. */
const MAX_ATTEMPTS = 20;
const MAX_WINDING_UP_MS = 24 * 3_600_000;

/**
 * Switches back what was switched at the source, for items that need nothing of it any more. A cancelled batch gives up what its source refuses,
 * because nobody can give it other credentials.
 *
 * @returns how many items were looked at
 * @throws {SourceFailure} that concerns every item
 */
export async function releaseSome(batch: BatchComponents): Promise<number> {
  const items = batch.items.releasable(AT_ONCE);
  if (items.length === 0) return 0;
  const source = await openForRelease(batch);
  const ends = await Promise.allSettled(items.map((item) => releaseItem(batch, item, source)));
  for (const end of ends) if (end.status === "rejected") throw end.reason;
  return items.length;
}

/** Null = it cannot be opened any more. */
async function openForRelease(batch: BatchComponents): Promise<Source | null> {
  try {
    return await sourceOf(batch);
  } catch (error) {
    if (batch.state.status === "cancelled" && isFinal(error)) return null;
    throw error;
  }
}

async function releaseItem(batch: BatchComponents, item: Item, source: Source | null): Promise<void> {
  const { seq, attempts } = item;
  if (source === null) return giveUp(batch, item);
  try {
    await source.release(withState(item));
    batch.items.set(seq, { owesRelease: false });
    log("import.released", { batchId: batch.order.batchId, seq });
  } catch (error) {
    if (!(error instanceof SourceFailure)) return giveUp(batch, item, error);
    const mayPass = error.retryAfterMs !== null && attempts < MAX_ATTEMPTS && !isLate(batch);
    const needsOwner = error.code === "credentials_invalid" && batch.state.status !== "cancelled";
    if (!mayPass && !needsOwner) return giveUp(batch, item, error);
    // A pause that the source asks for is no failure to do it.
    if (mayPass && error.code !== "source_rate_limited") batch.items.set(seq, { attempts: attempts + 1 });
    throw error;
  }
}

/** A cancelled batch cannot wait for ever, because nobody can end it any more. */
const isLate = ({ documents, clock }: BatchComponents): boolean =>
  clock() - (documents.get("cancelledAtMs") ?? Infinity) > MAX_WINDING_UP_MS;

function giveUp(batch: BatchComponents, { seq, differences }: Item, error?: unknown): void {
  const left = { field: "source", message: "what was opened at the source for the download could not be closed again" };
  batch.items.set(seq, { owesRelease: false, differences: [...differences, left] });
  logWarning("import.not_released", {
    batchId: batch.order.batchId,
    seq,
    ...(error !== undefined && errorFields(error)),
  });
}

/** A file that was still being prepared has its state beside the video. */
const withState = ({ video, preparing }: Item): ListedVideo => ({ ...video, ref: { ...video.ref, ...preparing } });
