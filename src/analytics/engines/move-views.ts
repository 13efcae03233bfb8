import { openDatabase } from "../../platform/database.ts";
import type { Env } from "../../platform/env.ts";
import { log } from "../../platform/log.ts";
import { listHandingOver, storeMove } from "../../tenancy/workspaces/index.ts";
import { askR2Sql } from "../r2-sql/ask-r2-sql.ts";
import { countingRows } from "../r2-sql/handed-over.ts";
import { r2SqlSettings } from "../r2-sql/settings.ts";
import { monthsBetween } from "../store/months.ts";
import { retentionMs } from "../store/retention.ts";
import { callStore } from "../store/store-calls.ts";
import { countStatement } from "./r2-statements.ts";
import type { Sources } from "./two-sources.ts";

const HOUR_MS = 3600_000;

/**
 * For the cron: lets the stores of distributed and moving workspaces hand over their final views, and switches a workspace once all of them
 * can be read in the table. Repeatable.
 */
export async function moveViews(env: Env, now: Date): Promise<void> {
  const settings = r2SqlSettings(env);
  if (settings === null) return;
  for (const { workspaceId, viewStore } of await listHandingOver(openDatabase(env.DB))) {
    const sources = { env, settings, workspaceId, nowMs: now.getTime() };
    if (viewStore === "moving") await continueMove(sources);
    else await askToHandOver(sources, true);
  }
}

interface Progress {
  month: string;
  confirmed: number;
  remaining: number;
}

async function continueMove(sources: Sources): Promise<void> {
  const { env, workspaceId } = sources;
  const months = await askToHandOver(sources, false);
  const sum = (name: "confirmed" | "remaining") => months.reduce((total, month) => total + month[name], 0);
  const [confirmed, remaining] = [sum("confirmed"), sum("remaining")];
  const different = remaining > 0 ? null : await differentMonth(sources, months);
  const isDone = remaining === 0 && different === null;
  const words = `${confirmed} of ${confirmed + remaining} views can be read in the table`;
  const progress = different === null ? words : `${words}; the counts of ${different} differ`;
  await storeMove(openDatabase(env.DB), workspaceId, progress, isDone);
  log(isDone ? "view_store.switched" : "view_store.moving", { workspaceId, confirmed, remaining });
}

/** The months whose views are kept, and the one that begins within the hour. */
async function askToHandOver({ env, workspaceId, nowMs }: Sources, isSwitched: boolean): Promise<Progress[]> {
  const months = monthsBetween(nowMs - retentionMs(env), nowMs + HOUR_MS);
  return await Promise.all(
    months.map(async (month) => {
      const progress = await callStore(env, { workspaceId, month }, "handOver", { workspaceId, month, isSwitched });
      return { month, ...progress };
    }),
  );
}

/** The first month of which the table has another number of views than its store handed over; null = there is none. */
async function differentMonth(sources: Sources, months: readonly Progress[]): Promise<string | null> {
  const { env, settings, workspaceId, nowMs } = sources;
  for (const { month, confirmed } of months) {
    const { handedOver } = await callStore(env, { workspaceId, month }, "remainder", {
      workspaceId,
      month,
      queries: [],
    });
    const where = countingRows(workspaceId, [handedOver], nowMs - retentionMs(env));
    const [row] = where === null ? [] : await askR2Sql(settings, countStatement({ table: settings.table, where }));
    if (Number(row?.["view_count"] ?? 0) !== confirmed) return month;
  }
  return null;
}
