import { openDatabase } from "../../platform/database.ts";
import type { Env } from "../../platform/env.ts";
import { errorFields, log, logError } from "../../platform/log.ts";
import { listCopied, storeMove } from "../../tenancy/workspaces/index.ts";
import { askR2Sql } from "../r2-sql/ask-r2-sql.ts";
import { countingRows } from "../r2-sql/handed-over.ts";
import { r2SqlSettings } from "../r2-sql/settings.ts";
import { monthsBetween } from "../store/months.ts";
import { retentionMs } from "../store/retention.ts";
import { viewStore } from "../store/store-calls.ts";
import { countStatement } from "./r2-statements.ts";
import type { Sources } from "./two-sources.ts";

const HOUR_MS = 3600_000;

/**
 * For the cron. The stores of distributed and moving workspaces hand over their final views, and those of returning ones take them back. A
 * workspace is switched once the target engine has all of its views. Repeatable.
 */
export async function moveViews(env: Env, now: Date): Promise<void> {
  const settings = r2SqlSettings(env);
  if (settings === null) return;
  for (const { workspaceId, viewStore } of await listCopied(openDatabase(env.DB))) {
    const sources = { env, settings, workspaceId, nowMs: now.getTime() };
    try {
      if (viewStore === "moving") await continueMove(sources);
      else if (viewStore === "returning") await continueReturn(sources);
      else await askToHandOver(sources, true);
    } catch (error) {
      // Continues with the other workspaces.
      logError("view_store.not_moved", { workspaceId, viewStore, ...errorFields(error) });
    }
  }
}

async function continueMove(sources: Sources): Promise<void> {
  const { env, workspaceId } = sources;
  const months = await askToHandOver(sources, false);
  const sum = (name: "confirmed" | "remaining") => months.reduce((total, month) => total + month[name], 0);
  const [confirmed, remaining] = [sum("confirmed"), sum("remaining")];
  // An active workspace always has rows in transit; they count in their store until the table shows them.
  const isBehind = months.some((month) => month.isBehind);
  const different = isBehind ? null : await findDifferent(sources, months, (here, there) => here !== there);
  const isDone = !isBehind && different === null;
  const words = `${confirmed} of ${confirmed + remaining} views can be read in the table`;
  const progress = different === null ? words : `${words}; the counts of ${different} differ`;
  await storeMove(openDatabase(env.DB), workspaceId, { direction: "moving", progress, isDone });
  log(isDone ? "view_store.switched" : "view_store.moving", { workspaceId, confirmed, remaining });
}

/** Done when the table was read to its end and no month lacks views of it. A month that lacks some reads the table again. */
async function continueReturn(sources: Sources): Promise<void> {
  const { env, workspaceId } = sources;
  const months = await askMonths(sources, (of) => viewStore(env, of).takeBack(of));
  const confirmed = months.reduce((total, month) => total + month.confirmed, 0);
  const isRead = months.every((month) => month.isRead);
  const lacking = isRead ? await findDifferent(sources, months, (here, there) => here < there) : null;
  const isDone = isRead && lacking === null;
  const words = `${confirmed} views of the table are in the stores`;
  const progress = lacking === null ? words : `${words}; some of ${lacking} are not, and it is read again`;
  if (lacking !== null) {
    const of = { workspaceId, month: lacking };
    await viewStore(env, of).takeBack({ ...of, keptFromMs: keptFrom(sources), isAgain: true });
  }
  await storeMove(openDatabase(env.DB), workspaceId, { direction: "returning", progress, isDone });
  log(isDone ? "view_store.returned" : "view_store.returning", { workspaceId, confirmed });
}

const keptFrom = ({ env, nowMs }: Sources) => nowMs - retentionMs(env);

const askToHandOver = (sources: Sources, isSwitched: boolean) =>
  askMonths(sources, (of) => viewStore(sources.env, of).handOver({ ...of, isSwitched }));

/** Calls the stores of all months in the retention time, and of the month that begins within the hour. */
async function askMonths<Answer>(
  sources: Sources,
  ask: (of: { workspaceId: string; month: string; keptFromMs: number }) => Promise<Answer>,
): Promise<(Answer & { month: string })[]> {
  const { workspaceId, nowMs } = sources;
  const keptFromMs = keptFrom(sources);
  return await Promise.all(
    monthsBetween(keptFromMs, nowMs + HOUR_MS).map(async (month) => ({
      ...(await ask({ workspaceId, month, keptFromMs })),
      month,
    })),
  );
}

/** The first month in which store and table differ in their number of views; null = none. */
async function findDifferent(
  sources: Sources,
  months: readonly { month: string; confirmed: number }[],
  isDifferent: (here: number, there: number) => boolean,
): Promise<string | null> {
  const { env, settings, workspaceId } = sources;
  for (const { month, confirmed } of months) {
    const of = { workspaceId, month };
    const { handedOver } = await viewStore(env, of).readRemainder({ ...of, queries: [] });
    const where = countingRows(workspaceId, [handedOver], keptFrom(sources));
    const [row] = where === null ? [] : await askR2Sql(settings, countStatement({ table: settings.table, where }));
    if (isDifferent(confirmed, Number(row?.["view_count"] ?? 0))) return month;
  }
  return null;
}
