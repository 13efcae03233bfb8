/** Reads views of both sources one at a time. */
import { Problem } from "../../platform/http/problems.ts";
import { monthsIn } from "../questions/ask-stores.ts";
import { monthPages } from "../questions/read-views.ts";
import { type Scope } from "../questions/scope.ts";
import { axisOf, type WatchedQuestion } from "../questions/view-engine.ts";
import { literal } from "../r2-sql/literal.ts";
import { addWatched, IntervalCounts, type Watched } from "../store/interval-counts.ts";
import { viewStore, type StoredView } from "../store/store-calls.ts";
import type { TimelineEvent } from "../views/view-event.ts";
import type { ViewRecord } from "../views/view-record.ts";
import type { WatchedRange } from "../views/watched-ranges.ts";
import { findStatement } from "./r2-statements.ts";
import { tablePages } from "./read-table.ts";
import { askRemainder, askTable, handedOverIn, remainderOf, rowsBeside, type Sources } from "./two-sources.ts";

/** Most views of a media or stream whose watched ranges one answer counts. */
const MAX_WATCHED = 200_000;
/** A record has about 3 kB. */
const [RECORDS_AT_ONCE, RANGES_AT_ONCE] = [500, 5000];

export async function findDistributed(sources: Sources, viewId: string): Promise<StoredView | null> {
  const { env, workspaceId, nowMs } = sources;
  const always = { fromMs: 0, toMs: nowMs };
  const months = monthsIn(env, always, nowMs);
  const found = await Promise.all(months.map((month) => viewStore(env, { workspaceId, month }).find(viewId)));
  const stored = found.findLast((view) => view !== null);
  if (stored !== undefined) return stored;
  const remainders = await askRemainder(sources, always, { queries: [] });
  const rows = rowsBeside(sources, handedOverIn(remainders), null);
  const [row] = await askTable(sources, rows, (of) => findStatement(of, viewId));
  if (row === undefined) return null;
  return {
    view: JSON.parse(String(row["record"])) as ViewRecord,
    timeline: JSON.parse(String(row["timeline"])) as TimelineEvent[],
  };
}

/**
 * All views of a scope: first the few of the stores, then those of the table by their ends. A view that is handed over during the reading is
 * recognized by its id.
 */
export async function* pagesDistributed(sources: Sources, scope: Scope): AsyncGenerator<ViewRecord[]> {
  const { env, workspaceId, nowMs } = sources;
  await askRemainder(sources, scope, { queries: [] }); // creates the hand-over's tables, which the condition needs
  const seen = new Set<string>();
  for (const month of monthsIn(env, scope, nowMs))
    for await (const page of monthPages(env, { workspaceId, month }, remainderOf(scope))) {
      for (const { viewId } of page) seen.add(viewId);
      yield page;
    }
  const remainders = await askRemainder(sources, scope, { queries: [] });
  const rows = rowsBeside(sources, handedOverIn(remainders), scope);
  const reading = { columns: "view_id, view_end_ms, record", order: "asc", rowsAtOnce: RECORDS_AT_ONCE } as const;
  for await (const page of tablePages(sources, rows, reading)) {
    const others = page.filter((row) => !seen.has(String(row["view_id"])));
    if (others.length > 0) yield others.map((row) => JSON.parse(String(row["record"])) as ViewRecord);
  }
}

/** @throws {Problem} validation_failed for more than 200,000 views of the table */
export async function watchedDistributed(sources: Sources, question: WatchedQuestion): Promise<Watched> {
  const { scope, content, grid } = question;
  const axis = axisOf(question);
  const { sql, values } = remainderOf(scope);
  const condition = { sql: `${sql} AND ${content.column} = ?`, values: [...values, content.id] };
  const remainders = await askRemainder(sources, scope, { queries: [], watched: { condition, axis, grid } });
  const rows = rowsBeside(sources, handedOverIn(remainders), scope);
  const showed = `${content.column} = ${literal(content.id)} AND failed_at_startup = 0 AND left_before_start = 0`;
  const counts = new IntervalCounts(grid);
  let read = 0;
  const reading = { columns: "view_id, view_end_ms, watched", order: "asc", rowsAtOnce: RANGES_AT_ONCE } as const;
  const shown = rows === null ? null : { ...rows, where: `${rows.where} AND ${showed}` };
  for await (const page of tablePages(sources, shown, reading)) {
    read += page.length;
    if (read > MAX_WATCHED) throw tooMany();
    for (const row of page) {
      const ranges = JSON.parse(String(row["watched"])) as WatchedRange[];
      counts.add(
        ranges.map(([mediaFrom, mediaTo, from, to]) => (axis === "media" ? [mediaFrom, mediaTo] : [from, to])),
      );
    }
  }
  return addWatched([...remainders.map(({ watched }) => watched!), counts.read()], grid.intervals);
}

function tooMany(): Problem {
  const hint = `must have at most ${MAX_WATCHED} views; give a shorter time span`;
  return new Problem("validation_failed", hint, { fields: [{ field: "timespan[]", message: "is invalid", hint }] });
}
