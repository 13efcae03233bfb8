import { deleteObjectWebhooks } from "../../events/webhooks/index.ts";
import { commit, openDatabase } from "../../platform/database.ts";
import type { Env } from "../../platform/env.ts";
import { errorFields, log, logWarning } from "../../platform/log.ts";
import { importBatch } from "./batch-calls.ts";
import { orderOf } from "./order-of.ts";
import { deleteBatch, findEnded, findSilent, touch } from "./repository.ts";

const SILENT_MS = 2 * 60_000;
const AT_ONCE = 50;
/** How long the items and the report of a batch that has ended are kept. Which video became which media stays. */
const KEEP_MS = 90 * 24 * 3600_000;

/** For the cron: starts batches whose first call was lost, wakes those that have shown nothing for two minutes, and deletes old ones. */
export async function sweepImports(env: Env, now: Date): Promise<void> {
  const db = openDatabase(env.DB);
  const silent = await findSilent(db, new Date(now.getTime() - SILENT_MS), AT_ONCE);
  await Promise.all(
    silent.map(async (row) => {
      try {
        await importBatch(env, row.id).begin(orderOf(row));
        await touch(db, row.id, now);
      } catch (error) {
        logWarning("import.wake_failed", { batchId: row.id, ...errorFields(error) });
      }
    }),
  );
  for (const { id } of await findEnded(db, new Date(now.getTime() - KEEP_MS), AT_ONCE)) {
    await importBatch(env, id).forget();
    await commit(env.DB, [deleteBatch(db, id), deleteObjectWebhooks(db, id, now)]);
    log("import.forgotten", { batchId: id });
  }
}
