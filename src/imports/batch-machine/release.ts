import { errorFields, log, logWarning } from "../../platform/log.ts";
import { type ListedVideo, SourceFailure } from "../sources/source.ts";
import type { BatchComponents } from "./components.ts";
import type { Item } from "./item-table.ts";
import { sourceOf } from "./open-batch-source.ts";

const AT_ONCE = 4;
/** After these the source stays as it is, and the report says so. */
const MAX_ATTEMPTS = 20;

/** Switches back what was switched at the source, for items that need nothing of it any more. @throws {SourceFailure} that concerns every item. @returns how many there were */
export async function releaseSome(batch: BatchComponents): Promise<number> {
  const items = batch.items.releasable(AT_ONCE);
  if (items.length === 0) return 0;
  const source = await sourceOf(batch);
  await Promise.all(items.map((item) => releaseItem(batch, item, () => source.release(withState(item)))));
  return items.length;
}

async function releaseItem(batch: BatchComponents, item: Item, release: () => Promise<void>): Promise<void> {
  const { seq, attempts, differences } = item;
  try {
    await release();
    batch.items.set(seq, { owesRelease: false });
    log("import.released", { batchId: batch.order.batchId, seq });
  } catch (error) {
    if (error instanceof SourceFailure && error.retryAfterMs !== null && attempts < MAX_ATTEMPTS) {
      batch.items.set(seq, { attempts: attempts + 1 });
      throw error;
    }
    const left = {
      field: "source",
      message: "what was opened at the source for the download could not be closed again",
    };
    batch.items.set(seq, { owesRelease: false, differences: [...differences, left] });
    logWarning("import.not_released", { batchId: batch.order.batchId, seq, ...errorFields(error) });
  }
}

/** A file that was still being prepared has its state beside the video. */
const withState = ({ video, preparing }: Item): ListedVideo => ({ ...video, ref: { ...video.ref, ...preparing } });
