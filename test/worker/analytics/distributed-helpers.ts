import { env, runInDurableObject } from "cloudflare:test";
import { inject } from "vitest";
import { simulateView } from "../../../scripts/simulate/view.ts";
import { askR2Sql } from "../../../src/analytics/r2-sql/ask-r2-sql.ts";
import { readBatch } from "../../../src/analytics/beacons/beacon-batch.ts";
import { edgeFactsOf } from "../../../src/analytics/beacons/read-edge-facts.ts";
import { handOver, keepHandingOver } from "../../../src/analytics/store/hand-over.ts";
import { monthOf, monthsBetween } from "../../../src/analytics/store/months.ts";
import { StoreComponents } from "../../../src/analytics/store/components.ts";
import { takeBack } from "../../../src/analytics/store/take-back.ts";
import { viewStore } from "../../../src/analytics/store/store-calls.ts";
import { mergeEvents } from "../../../src/analytics/views/merged-view.ts";
import { timelineOf, type TimelineEvent, type ViewEvent } from "../../../src/analytics/views/view-event.ts";
import { type ViewRecord, viewRecordOf } from "../../../src/analytics/views/view-record.ts";
import type { Env } from "../../../src/platform/env.ts";

export interface MadeView {
  view: ViewRecord;
  timeline: TimelineEvent[];
}

const DAY_MS = 24 * 3600_000;
/** The time for all tests of a file. */
export const NOW_MS = Math.floor(Date.now() / 1000) * 1000;
/** Has every view that `simulatedViews` makes. */
export const SPAN = `timespan[]=${NOW_MS / 1000 - 50 * 86_400}&timespan[]=${NOW_MS / 1000}`;

/** Views of the last 40 days, as `npm run data:simulate` makes them. */
export function simulatedViews(count: number, nowMs: number, seed = 7): MadeView[] {
  return Array.from({ length: count }, (_, index) => {
    const { userAgent, cf, events } = simulateView(seed, index, { nowMs, days: 7, views: count });
    const batch = readBatch(JSON.stringify({ metadata: { transmission_timestamp: nowMs }, events }));
    const earlierMs = (index % 6) * 6 * DAY_MS;
    const viewEvents: ViewEvent[] = batch.events.map(({ sequence, name, viewerAtMs, fields }) => ({
      sequence,
      name,
      fields: name === "error" ? { ...fields, player_error_context: `decoder of view ${index}, "it's"` } : fields,
      atMs: viewerAtMs! - earlierMs,
    }));
    const view = viewRecordOf(mergeEvents(viewEvents), {
      workspaceId: "",
      viewId: batch.events[0]!.viewId,
      edge: edgeFactsOf(new Headers({ "user-agent": userAgent }), cf as never),
      content: { playbackId: "p", mediaId: index % 3 === 0 ? MEDIA_ID : null, streamId: null, durationMs: null },
      isFinal: true,
      insertedAtMs: nowMs,
      updatedAtMs: nowMs,
    });
    return { view, timeline: timelineOf(viewEvents) };
  });
}

export const MEDIA_ID = "00000000-0000-4000-8000-000000000001";

const storeOf = (workspaceId: string, month: string) =>
  env.VIEW_STORE.get(env.VIEW_STORE.idFromName(`${workspaceId}:${month}`));

/** Puts views into the stores of their months, as their machines do. */
export async function putViews(workspaceId: string, views: readonly MadeView[]): Promise<void> {
  for (const [month, own] of Map.groupBy(views, ({ view }) => monthOf(view.viewEndMs)))
    await runInDurableObject(storeOf(workspaceId, month), (_, state) => {
      const parts = new StoreComponents(state, env);
      for (const { view, timeline } of own) parts.views.put({ view: { ...view, workspaceId }, timeline, revision: 1 });
    });
}

/** A table of its own in the stand-in, and how the Worker reaches it. */
export class TestTable {
  readonly #base = `${inject("r2SqlOrigin")}/${crypto.randomUUID()}`;
  /** Calls of `send`; a test may let one fail. */
  send = async (records: Record<string, unknown>[]): Promise<void> => {
    await this.post("stream", records);
  };

  get settings(): Partial<Env> {
    return {
      R2_SQL_URL: `${this.#base}/query`,
      R2_SQL_TABLE: "sluice.views",
      R2_SQL_TOKEN: "token of the tests",
      VIEW_STREAM: { send: (records) => this.send(records) },
    };
  }

  async post(verb: string, body: unknown = {}): Promise<void> {
    const answer = await fetch(`${this.#base}/${verb}`, { method: "POST", body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(`${verb}: ${answer.status} ${await answer.text()}`);
    await answer.body?.cancel();
  }

  /** Rows of a workspace in each batch, also copies of a view. */
  async batches(workspaceId: string): Promise<number[]> {
    const { R2_SQL_URL: url, R2_SQL_TOKEN: token } = this.settings;
    const where = `workspace_id = '${workspaceId}'`;
    const query = `SELECT batch, count(*) AS row_count FROM sluice.views WHERE ${where} GROUP BY batch ORDER BY batch`;
    return (await askR2Sql({ url: url!, token: token! }, query)).map((row) => Number(row["row_count"]));
  }

  /** Rows of a workspace, also copies of a view. */
  async rows(workspaceId: string): Promise<number> {
    return (await this.batches(workspaceId)).reduce((sum, rows) => sum + rows, 0);
  }

  async statements(): Promise<string[]> {
    return await (await fetch(`${this.#base}/statements`)).json<string[]>();
  }
}

const monthsNow = () => monthsBetween(Date.now() - 100 * DAY_MS, Date.now());

/** Runs the alarm of each month's store once. */
export async function handOverOnce(
  workspaceId: string,
  table: TestTable,
  { isSwitched = true, nowMs = Date.now(), months = monthsNow() } = {},
): Promise<void> {
  for (const month of months) {
    const of = { workspaceId, month, isSwitched, keptFromMs: nowMs - 100 * DAY_MS };
    await viewStore(env, { workspaceId, month }).handOver(of);
    await runInDurableObject(storeOf(workspaceId, month), async (_, state) => {
      const parts = new StoreComponents(state, { ...env, ...table.settings });
      keepHandingOver(parts, of, nowMs);
      await handOver(parts, nowMs);
    });
  }
}

/** The same for a workspace whose views are copied back. */
export async function takeBackOnce(workspaceId: string, table: TestTable): Promise<void> {
  for (const month of monthsNow())
    await runInDurableObject(storeOf(workspaceId, month), async (_, state) => {
      await takeBack(new StoreComponents(state, { ...env, ...table.settings }));
    });
}

export const setViewStore = (workspaceId: string, state: string) =>
  env.DB.prepare("UPDATE workspaces SET view_store = ? WHERE id = ?").bind(state, workspaceId).run();

/** Executes a statement on a store. */
export const inStore = (workspaceId: string, month: string, sql: string): Promise<unknown[]> =>
  runInDurableObject(storeOf(workspaceId, month), (_, { storage }) => storage.sql.exec(sql).toArray());

/** Rows of a store's `views`. */
export const countRows = (workspaceId: string, month: string, where = "1"): Promise<number> =>
  runInDurableObject(storeOf(workspaceId, month), (_, { storage }) =>
    Number(storage.sql.exec(`SELECT count(*) AS count FROM views WHERE ${where}`).one()["count"]),
  );

declare module "vitest" {
  interface ProvidedContext {
    r2SqlOrigin: string;
  }
}
