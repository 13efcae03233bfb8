import { openDatabase } from "../../platform/database.ts";
import type { Env } from "../../platform/env.ts";
import { log } from "../../platform/log.ts";
import { removeList } from "./delete-list.ts";
import { findStale } from "./repository.ts";

/** No request lasts as long: what is still being received then has broken off. */
const RECEIVING_MS = 3600_000;
const UNUSED_MS = 30 * 24 * 3600_000;
/** Limit per run of the cron; the next run continues. Each list has up to about 600 objects. */
const MAX_LISTS = 10;

/** Removes lists that broke off an hour ago, and those that no batch has read for 30 days, with their objects. For the cron. */
export async function sweepLists(env: Pick<Env, "DB" | "MEDIA">, now: Date): Promise<void> {
  const before = (ms: number) => new Date(now.getTime() - ms);
  const limits = { receivingSince: before(RECEIVING_MS), usedBefore: before(UNUSED_MS) };
  const stale = await findStale(openDatabase(env.DB), limits, MAX_LISTS);
  for (const key of stale) await removeList(env, key);
  if (stale.length > 0) log("import_lists.swept", { lists: stale.length });
}
