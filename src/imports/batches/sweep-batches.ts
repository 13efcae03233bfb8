import { deleteObjectWebhooks } from "../../events/webhooks/index.ts";
import { commit, openDatabase } from "../../platform/database.ts";
import type { Env } from "../../platform/env.ts";
import { errorFields, log, logWarning } from "../../platform/log.ts";
import { importBatch } from "./batch-calls.ts";
import { orderOf } from "./order-of.ts";
import { deleteBatch, findEnded, findSilent, findUnstarted, touch } from "./repository.ts";

const SILENT_MS = 2 * 60_000;
const AT_ONCE = 50;
/** How long the items and the report of a batch that has ended are kept. Which video became which media stays. */
const KEEP_MS = 90 * 24 * 3600_000;
/** How long a dry run waits for its start. It is then cancelled, which also deletes its credentials. */
const UNSTARTED_MS = 30 * 24 * 3600_000;

/**
 * For the cron: starts batches whose first call was lost, wakes those that have shown nothing for two minutes, cancels dry runs that nobody has
 * started, and deletes old batches.
 */
export async function sweepImports(env: Env, now: Date): Promise<void> {
  const db = openDatabase(env.DB);
  const since = (ms: number) => new Date(now.getTime() - ms);
  const [silent, unstarted, ended] = await Promise.all([
    findSilent(db, since(SILENT_MS), AT_ONCE),
    findUnstarted(db, since(UNSTARTED_MS), AT_ONCE),
    findEnded(db, since(KEEP_MS), AT_ONCE),
  ]);
  await Promise.all([
    eachOf(silent, async (row) => {
      await importBatch(env, row.id).begin(orderOf(row));
      await touch(db, row.id, now);
    }),
    eachOf(unstarted, (row) => importBatch(env, row.id).command({ name: "cancel" }, orderOf(row))),
    eachOf(ended, async ({ id }) => {
      await importBatch(env, id).forget();
      await commit(env.DB, [deleteBatch(db, id), deleteObjectWebhooks(db, id, now)]);
      log("import.forgotten", { batchId: id });
    }),
  ]);
}

/** One that fails stops no other one: the next run tries it again. */
const eachOf = <Row extends { id: string }>(rows: Row[], work: (row: Row) => Promise<unknown>) =>
  Promise.all(
    rows.map((row) =>
      work(row).catch((error: unknown) =>
        logWarning("import.sweep_failed", { batchId: row.id, ...errorFields(error) }),
      ),
    ),
  );
