/** A view store that fills itself, so that a million views need no beacons. */
import { ViewStore } from "../../durable-objects/view-store.ts";
import { simulateView } from "../../scripts/simulate/view.ts";
import { readBatch } from "../../src/analytics/beacons/beacon-batch.ts";
import { edgeFactsOf } from "../../src/analytics/beacons/read-edge-facts.ts";
import { VIEW_COLUMNS } from "../../src/analytics/store/columns.ts";
import { monthOf } from "../../src/analytics/store/months.ts";
import type { Query, Row } from "../../src/analytics/store/store-calls.ts";
import { packViews } from "../../src/analytics/store/view-schema.ts";
import { ViewTable } from "../../src/analytics/store/view-table.ts";
import type { EdgeFacts } from "../../src/analytics/views/edge-facts.ts";
import { mergeEvents } from "../../src/analytics/views/merged-view.ts";
import { timelineOf } from "../../src/analytics/views/view-event.ts";
import { viewRecordOf } from "../../src/analytics/views/view-record.ts";
import type { Env } from "../../src/platform/env.ts";
import { daysOf, type Filling } from "./filling.ts";

const SEED = 7;

export class FillableViewStore extends ViewStore {
  readonly #table: ViewTable;
  readonly #storage: DurableObjectStorage;
  readonly #asked: Query[] = [];
  readonly #edges = new Map<string, EdgeFacts>();

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, withViewStream(env));
    this.#storage = ctx.storage;
    this.#table = new ViewTable(ctx.storage);
  }

  override async fetch(request: Request): Promise<Response> {
    if (request.url.endsWith("/asked")) return Response.json(this.#asked.splice(0));
    const filling = await request.json<Filling>();
    this.#storage.transactionSync(() =>
      filling.from < filling.simulated ? this.#simulate(filling) : this.#copy(filling),
    );
    return Response.json(this.#storage.sql.exec("SELECT count(*) AS views FROM views").one());
  }

  override run(queries: Query[]): Row[][] {
    this.#asked.push(...queries);
    return super.run(queries);
  }

  #simulate({ workspaceId, nowMs, simulated, from, to }: Filling): void {
    for (let index = from; index < to; index += 1) {
      const { userAgent, cf, events } = simulateView(SEED, index, { nowMs, days: daysOf(nowMs), views: simulated });
      const key = `${cf.country} ${cf.region} ${userAgent}`;
      const edge = this.#edges.get(key) ?? edgeFactsOf(new Headers({ "user-agent": userAgent }), cf as never);
      this.#edges.set(key, edge);
      const batch = readBatch(JSON.stringify({ events }));
      const ordered = batch.events.map(({ sequence, name, viewerAtMs, fields }) => {
        return { sequence, name, fields, atMs: viewerAtMs ?? nowMs };
      });
      const viewId = batch.events[0]!.viewId;
      const at = { insertedAtMs: nowMs, updatedAtMs: nowMs };
      const view = viewRecordOf(mergeEvents(ordered), {
        workspaceId,
        viewId,
        edge,
        content: null,
        isFinal: true,
        ...at,
      });
      this.#table.put({ view, timeline: timelineOf(ordered), revision: 1 });
    }
  }

  /** Copies the simulated views with other ids, viewers, times and lengths, so that they have as many different values as simulated ones. */
  #copy({ simulated, from, to }: Filling): void {
    const copy = Math.floor(from / simulated);
    const factor = 1 + copy * 0.001_37;
    const expressions = VIEW_COLUMNS.map((name) => {
      if (name === "view_id")
        return "lower(hex(randomblob(4)) || '-' || hex(randomblob(2)) || '-4000-8000-' || hex(randomblob(6)))";
      if (name === "view_end_ms") return "view_end_ms - abs(random()) % 60000";
      if (name === "viewer_key" || name === "viewer_id") return `${name} || '-${copy}'`;
      if (LENGTHS.has(name)) return `round(${name} * ${factor})`;
      return RATIOS.has(name) ? `${name} * ${factor}` : name;
    });
    const select = expressions.map((expression, index) => `${expression} AS ${VIEW_COLUMNS[index]}`).join(", ");
    // Copies have another variant in their ids, and are not copied again.
    const copies = this.#storage.sql.exec<{ view_id: string }>(
      `INSERT INTO views (${VIEW_COLUMNS.join(", ")}) SELECT * FROM (SELECT ${select} FROM
        (SELECT * FROM views WHERE view_id NOT LIKE '%-4000-8000-%' LIMIT ? OFFSET ?)) ORDER BY view_id RETURNING view_id`,
      to - from,
      from % simulated,
    );
    packViews(
      this.#storage.sql,
      copies.toArray().map(({ view_id }) => view_id),
    );
  }
}

const LENGTHS = new Set(
  "watch_ms playing_ms startup_ms player_startup_ms page_load_ms total_startup_ms buffer_ms".split(" "),
);
const RATIOS = new Set(["average_bitrate_bps", "buffer_ratio", "buffer_frequency"]);

const storeOf = (env: Env, workspaceId: string, atMs: number) =>
  env.VIEW_STORE.get(env.VIEW_STORE.idFromName(`${workspaceId}:${monthOf(atMs)}`));

/** The stand-in of a Pipelines stream, where the bench has one. */
export function withViewStream(env: Env): Env {
  const { VIEW_STREAM_URL: url } = env as { VIEW_STREAM_URL?: string };
  if (url === undefined) return env;
  const send = async (records: object[]): Promise<void> => {
    const answer = await fetch(url, { method: "POST", body: JSON.stringify(records) });
    if (!answer.ok) throw new Error(`the stream answered ${answer.status}`);
    await answer.body?.cancel();
  };
  return { ...env, VIEW_STREAM: { send } };
}

/** The queries that the store was asked since the last call. */
export async function askedOf(env: Env, workspaceId: string): Promise<Query[]> {
  return await (await storeOf(env, workspaceId, Date.now()).fetch("https://store/asked")).json<Query[]>();
}

/** @returns how many views the store has */
export async function fillViews(env: Env, filling: Filling): Promise<{ views: number }> {
  const store = storeOf(env, filling.workspaceId, filling.nowMs);
  const answer = await store.fetch("https://store/fill", { method: "POST", body: JSON.stringify(filling) });
  if (!answer.ok) throw new Error(`the store answered ${answer.status}`);
  return await answer.json<{ views: number }>();
}
