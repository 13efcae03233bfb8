import { openDatabase } from "../../platform/database.ts";
import { findImported } from "../store/claims.ts";
import { accountOf, requireAccount } from "./account.ts";
import type { BatchComponents } from "./components.ts";
import { sourceOf } from "./open-batch-source.ts";
import { submitItem } from "./submit-item.ts";
import { quietUntilMs } from "./wait.ts";

/** Media that may be in preparation for each encoder: it then never waits, and the uploads of others do not queue behind a whole library. */
const MEDIA_PER_ENCODER = 4;
const LEAST_OPEN_MEDIA = 16;
/** Files that the source prepares at once, for each video that is worked on. */
const PREPARED_PER_WORKER = 4;

/** What a turn may still do. */
export interface Budget {
  items: number;
  /** No item is begun afterwards, epoch ms. */
  untilMs: number;
}

/**
 * Submits pending items, as many at once as the source allows and the encoders take.
 *
 * @returns how many items were looked at
 * @throws {SourceFailure | Problem} what concerns every item
 */
export async function submitSome(batch: BatchComponents, budget: Budget): Promise<number> {
  const { items, env, clock } = batch;
  const room = roomOf(batch);
  if (room <= 0 || items.counts.pending === 0) return 0;
  const source = await sourceOf(batch);
  await requireAccount(batch, source);
  const { concurrency } = source.pace;
  const due = items.takeDue(Math.min(room, budget.items), concurrency * PREPARED_PER_WORKER - items.preparing);
  if (due.length === 0) return 0;
  const sourceIds = due.map(({ video }) => video.id);
  const known = await findImported(openDatabase(env.DB), accountOf(batch), sourceIds);
  const queue = [...due];
  const mayGoOn = () => clock() < budget.untilMs && quietUntilMs(batch) === null && batch.state.status === "running";
  const failures: unknown[] = [];
  const worker = async () => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) {
      if (failures.length > 0 || !mayGoOn()) return;
      await submitItem(batch, source, item, known.get(item.video.id) ?? null).catch((error: unknown) => {
        failures.push(error);
      });
    }
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, due.length) }, worker));
  if (failures.length > 0) throw failures[0];
  return due.length - queue.length;
}

/** When an item can be submitted next, epoch ms; Infinity = when others have ended. */
export function nextSubmitMs(batch: BatchComponents): number {
  const { items, documents } = batch;
  if (roomOf(batch) <= 0) return Infinity;
  const concurrency = documents.get("source")?.pace?.concurrency ?? 1;
  const mayOrder = items.preparing < concurrency * PREPARED_PER_WORKER;
  return items.nextDueMs(mayOrder ? "pending" : "prepared");
}

/** How many further media may be in preparation. */
const roomOf = ({ env, items }: BatchComponents): number =>
  Math.max(LEAST_OPEN_MEDIA, Number(env.ENCODER_CONTAINERS) * MEDIA_PER_ENCODER) - items.counts.submitted;
