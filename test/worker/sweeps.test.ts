/** The queries that the cron repeats every minute search an index; none reads a whole table. */
import { env } from "cloudflare:test";
import { describe, expect, test } from "vitest";
import { sweepAssets } from "../../src/library/assets/sweep.ts";
import { sweepClips } from "../../src/live/clips/clips-copy.ts";
import { isOffAir } from "../../src/live/sessions/off-air.ts";
import { sweepStreams } from "../../src/live/streams/sweep.ts";
import type { Env } from "../../src/platform/env.ts";

interface Query {
  text: string;
  values: unknown[];
}

/** The bindings, with a record of every statement that D1 is sent. */
function withRecordedQueries(): { env: Env; queries: Query[] } {
  const queries: Query[] = [];
  const prepare = (text: string) => {
    const statement = env.DB.prepare(text);
    const bind = statement.bind.bind(statement);
    statement.bind = (...values) => {
      queries.push({ text, values });
      return bind(...values);
    };
    return statement;
  };
  const DB = { prepare, batch: env.DB.batch.bind(env.DB) } as D1Database;
  return { env: { ...env, DB }, queries };
}

/** The steps of a query's plan: `SEARCH …` or `SCAN …`. */
async function planOf({ text, values }: Query): Promise<string[]> {
  const explained = env.DB.prepare(`EXPLAIN QUERY PLAN ${text}`).bind(...values);
  const { results } = await explained.all<{ detail: string }>();
  return results.map(({ detail }) => detail).filter((detail) => /^(SCAN|SEARCH)/.test(detail));
}

const now = new Date();
const sweeps: [string, (env: Env) => Promise<unknown>, string[]][] = [
  [
    "of assets",
    (recorded) => sweepAssets(recorded, now, isOffAir),
    [
      "SEARCH idempotency_keys USING INDEX idempotency_keys_by_age (created_at<?)",
      "SEARCH assets USING INDEX assets_processing (status=? AND stream_id=?)",
      "SEARCH assets USING INDEX assets_unpurged (deleted_at>? AND deleted_at<?)",
      "SEARCH session USING INDEX sqlite_autoindex_live_sessions_1 (id=?)",
    ],
  ],
  [
    "of clips",
    (recorded) => sweepClips(recorded, now),
    [
      "SEARCH assets USING COVERING INDEX sqlite_autoindex_assets_1 (id=?)",
      "SEARCH assets USING INDEX assets_processing (status=?)",
    ],
  ],
  [
    "of streams, apart from the few rows of gateways,",
    (recorded) => sweepStreams(recorded, now),
    [
      "SEARCH live_streams USING COVERING INDEX sqlite_autoindex_live_streams_1 (id=?)",
      "SEARCH live_streams USING INDEX live_streams_by_status (status=?)",
    ],
  ],
];

describe("a sweep", () => {
  test.each(sweeps)("%s only searches indexes", async (_, sweep, plan) => {
    const { env: recorded, queries } = withRecordedQueries();
    await sweep(recorded);
    const plans = await Promise.all(queries.filter(({ text }) => !text.includes("ingest_gateways")).map(planOf));
    expect(plans.flat()).toEqual(plan);
  });
});
