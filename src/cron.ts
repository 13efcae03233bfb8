import { wakeIndexes } from "./ai/search/wake-indexes.ts";
import { evaluateAlerts } from "./analytics/alerts/evaluate-alerts.ts";
import { moveViews } from "./analytics/engines/move-views.ts";
import { sweepExports } from "./analytics/exports/repository.ts";
import { refreshMatchedTypes, resealSecrets, sweepDeliveries } from "./events/webhooks/index.ts";
import { resealCredentials } from "./imports/credentials/reseal-credentials.ts";
import { sweepImports } from "./imports/batches/sweep-batches.ts";
import { sweepLists } from "./imports/lists/sweep-lists.ts";
import { sweepAssets } from "./library/assets/index.ts";
import { sweepUploads } from "./library/uploads/index.ts";
import { isOffAir, sweepClips, sweepSecrets, sweepStreams } from "./live/index.ts";
import type { Env } from "./platform/env.ts";
import { forgetOldAnswers } from "./platform/http/idempotency.ts";
import { errorFields, logError } from "./platform/log.ts";
import { deleteOld } from "./retention.ts";

type Task = (env: Env, now: Date) => unknown;

/** What runs every minute, all at once. The names are those of `cron.task_failed`. */
const TASKS: Record<string, Task> = {
  sweepAssets: (env, now) => sweepAssets(env, now, isOffAir),
  sweepDeliveries,
  sweepStreams,
  sweepUploads,
  sweepClips,
  sweepExports,
  sweepLists,
  sweepImports,
  evaluateAlerts,
  moveViews,
  wakeIndexes,
  refreshMatchedTypes,
  resealSecrets,
  resealCredentials,
  sweepSecrets,
  deleteOld,
  forgetOldAnswers,
};

/** A task that fails is logged and runs again a minute later. It stops no other one. */
export async function runCron(env: Env, now: Date, tasks = TASKS): Promise<void> {
  const run = async ([task, work]: [string, Task]) => {
    try {
      await work(env, now);
    } catch (error) {
      logError("cron.task_failed", { task, ...errorFields(error) });
    }
  };
  await Promise.all(Object.entries(tasks).map(run));
}
