/** The queries that the cron repeats every minute search an index; none reads a whole table. */
import { createScheduledController, env } from "cloudflare:test";
import { eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { evaluateAlerts } from "../../src/analytics/alerts/evaluate-alerts.ts";
import { sweepImports } from "../../src/imports/batches/sweep-batches.ts";
import { resealCredentials } from "../../src/imports/credentials/reseal-credentials.ts";
import { sweepLists } from "../../src/imports/lists/sweep-lists.ts";
import { importBatches } from "../../src/imports/store/tables.ts";
import { sweepAssets } from "../../src/library/assets/sweep.ts";
import { sweepClips } from "../../src/live/clips/sweep-clips.ts";
import { sweepUploads } from "../../src/library/uploads/index.ts";
import { isOffAir } from "../../src/live/sessions/off-air.ts";
import { sweepStreams } from "../../src/live/streams/sweep.ts";
import type { Env } from "../../src/platform/env.ts";
import { openDatabase } from "../../src/platform/database.ts";
import { forgetOldAnswers } from "../../src/platform/http/idempotency.ts";
import { idempotencyKeys } from "../../src/platform/http/tables.ts";
import worker from "../../src/worker.ts";

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
      "SEARCH assets USING INDEX assets_processing (status=? AND stream_id=?)",
      "SEARCH assets USING INDEX assets_unpurged (deleted_at>? AND deleted_at<?)",
      "SEARCH shared_media USING COVERING INDEX shared_media_of_owner (owner_id=?)",
      "SEARCH session USING INDEX sqlite_autoindex_live_sessions_1 (id=?)",
      // Counted, and then read.
      ...Array.from({ length: 2 }, () => [
        "SEARCH added_tracks USING INDEX added_tracks_preparing (created_at<?)",
        "SEARCH assets USING INDEX sqlite_autoindex_assets_1 (id=?)",
      ]).flat(),
      ...Array.from({ length: 2 }, () => [
        "SEARCH insights USING INDEX insights_preparing (created_at<?)",
        "SEARCH assets USING INDEX sqlite_autoindex_assets_1 (id=?)",
      ]).flat(),
    ],
  ],
  [
    "of alerts",
    (recorded) => evaluateAlerts(recorded, now),
    [
      "SEARCH alert_rules USING INDEX alert_rules_by_evaluation (evaluated_until_ms<?)",
      "SEARCH alert_rules USING INDEX alert_rules_by_evaluation (evaluated_until_ms>? AND evaluated_until_ms<?)",
    ],
  ],
  [
    "of idempotency keys",
    (recorded) => forgetOldAnswers(recorded, now),
    ["SEARCH idempotency_keys USING INDEX idempotency_keys_by_age (created_at<?)"],
  ],
  [
    "of uploads",
    (recorded) => sweepUploads(recorded, now),
    [
      "SEARCH uploads USING INDEX uploads_unfinished (created_at<?)",
      "SEARCH uploads USING COVERING INDEX sqlite_autoindex_uploads_1 (id=?)",
      "SEARCH uploads USING INDEX uploads_over (created_at<?)",
    ],
  ],
  [
    "of clips",
    (recorded) => sweepClips(recorded, now),
    [
      "SEARCH assets USING COVERING INDEX sqlite_autoindex_assets_1 (id=?)",
      "SEARCH assets USING INDEX assets_processing (status=? AND stream_id>?)",
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
  [
    "of batches",
    async (recorded) => {
      await endedBatch();
      await sweepImports(recorded, now);
    },
    [
      // Silent ones, dry runs without a start, and old ones, of which there is one to delete.
      "SEARCH import_batches USING INDEX import_batches_open (state=? AND updated_at<?)",
      "SEARCH import_batches USING INDEX import_batches_open (state=? AND updated_at<?)",
      "SEARCH import_batches USING INDEX import_batches_ended (completed_at<?)",
      "SEARCH import_batches USING INDEX sqlite_autoindex_import_batches_1 (id=?)",
      "SEARCH webhooks USING INDEX webhooks_of_object (object_id=?)",
    ],
  ],
  [
    "of lists",
    (recorded) => sweepLists(recorded, now),
    [
      "SEARCH import_lists USING INDEX import_lists_receiving (created_at<?)",
      "SEARCH import_lists USING INDEX import_lists_by_use (used_at<?)",
    ],
  ],
  [
    "of credentials of sources",
    resealCredentials,
    [
      "SEARCH import_credentials USING INDEX import_credentials_by_key (sealed<?)",
      "SEARCH import_credentials USING INDEX import_credentials_by_key (sealed>?)",
    ],
  ],
];

/** A batch that ended at the beginning of time. */
async function endedBatch(): Promise<void> {
  const [request, past] = [{ options: {}, selection: {}, settings: {}, dryRun: false, publicUrl: "" }, new Date(0)];
  const id = crypto.randomUUID();
  const row = { id, workspaceId: id, source: "mux", request, state: "done", counts: {} } as const;
  const times = { createdAt: past, updatedAt: past, completedAt: past };
  await openDatabase(env.DB)
    .insert(importBatches)
    .values({ ...row, ...times });
}

describe("a sweep", () => {
  test.each(sweeps)("%s only searches indexes", async (_, sweep, plan) => {
    const { env: recorded, queries } = withRecordedQueries();
    await sweep(recorded);
    const plans = await Promise.all(queries.filter(({ text }) => !text.includes("ingest_gateways")).map(planOf));
    expect(plans.flat()).toEqual(plan);
  });
});

test("the cron deletes idempotency keys after 24 hours", async () => {
  const db = openDatabase(env.DB);
  const workspaceId = crypto.randomUUID();
  const row = { workspaceId, requestHash: "", resourceId: "", status: 201, body: "{}" };
  const createdAt = (ageMs: number) => new Date(now.getTime() - ageMs);
  await db.insert(idempotencyKeys).values([
    { ...row, key: "older", createdAt: createdAt(24 * 3600_000 + 1) },
    { ...row, key: "younger", createdAt: createdAt(24 * 3600_000) },
  ]);
  await worker.scheduled(createScheduledController({ scheduledTime: now, cron: "* * * * *" }), env);
  const left = await db.select().from(idempotencyKeys).where(eq(idempotencyKeys.workspaceId, workspaceId));
  expect(left.map(({ key }) => key)).toEqual(["younger"]);
});
