import { env } from "cloudflare:test";
import { eq, sql } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { openDatabase } from "../../src/platform/database.ts";
import { events, insertEvent } from "../../src/events/index.ts";
import { requestLogs } from "../../src/events/request-log/tables.ts";
import { deleteOld, KEEP_MS } from "../../src/retention.ts";
import { deliveries, deliveryAttempts } from "../../src/events/webhooks/records/tables.ts";

const db = openDatabase(env.DB);
const now = new Date("2026-11-20T12:00:00.000Z");
/** The oldest time that is kept. */
const limitMs = now.getTime() - KEEP_MS;

/** Inserts an event with its delivery and attempt, and a request, all of this time. */
async function addRowsOf(atMs: number): Promise<string> {
  const id = crypto.randomUUID();
  const workspaceId = crypto.randomUUID();
  const reported = { id, workspaceId, type: "video.media.deleted", objectId: crypto.randomUUID(), data: {} };
  await insertEvent(db, { ...reported, occurredAtMs: atMs });
  const at = new Date(atMs);
  const row = { eventId: id, webhookId: crypto.randomUUID() };
  const attempt = { ...row, number: 1, durationMs: 1, responseHead: "" };
  const log = { requestId: "r", credentialId: "c", method: "GET", route: "/", status: 200, durationMs: 1 };
  await db.batch([
    db
      .insert(deliveries)
      .values({ ...row, workspaceId, type: reported.type, naming: "service", status: "delivered", createdAt: at }),
    db.insert(deliveryAttempts).values({ ...attempt, startedAt: at }),
    db.insert(requestLogs).values({ id, workspaceId, ...log, at, resourceIds: [] }),
  ]);
  return id;
}

/** The remaining ones of the four rows. */
async function whatIsLeftOf(id: string): Promise<string[]> {
  const counts = await Promise.all([
    db.$count(events, eq(events.id, id)),
    db.$count(deliveries, eq(deliveries.eventId, id)),
    db.$count(deliveryAttempts, eq(deliveryAttempts.eventId, id)),
    db.$count(requestLogs, eq(requestLogs.id, id)),
  ]);
  return ["event", "delivery", "attempt", "request"].filter((_, index) => counts[index]! > 0);
}
const ALL = ["event", "delivery", "attempt", "request"];

describe("data that is kept for 30 days", () => {
  test("is deleted once it is older, to the millisecond", async () => {
    const [older, oldest, justOld, atLimit, young] = [
      await addRowsOf(limitMs - 24 * 3600_000),
      await addRowsOf(0),
      await addRowsOf(limitMs - 1),
      await addRowsOf(limitMs),
      await addRowsOf(now.getTime()),
    ];
    await deleteOld(env, now);
    for (const id of [older, oldest, justOld]) expect(await whatIsLeftOf(id)).toEqual([]);
    for (const id of [atLimit, young]) expect(await whatIsLeftOf(id)).toEqual(ALL);
  });

  test("is deleted attempt by attempt: a redelivered delivery keeps the attempts of the last 30 days", async () => {
    const id = await addRowsOf(limitMs + 5);
    const [delivery] = await db.select().from(deliveries).where(eq(deliveries.eventId, id));
    const row = { eventId: id, webhookId: delivery!.webhookId, durationMs: 1, responseHead: "" };
    await db.insert(deliveryAttempts).values([
      { ...row, number: 2, startedAt: new Date(limitMs - 1) },
      { ...row, number: 3, startedAt: new Date(limitMs + 10) },
    ]);
    await deleteOld(env, now);
    const left = await db.select().from(deliveryAttempts).where(eq(deliveryAttempts.eventId, id));
    expect(left.map(({ number }) => number).sort((a, b) => a - b)).toEqual([1, 3]);
  });

  test("is deleted in batches of at most twenty thousand rows of a table, which the next run continues", async () => {
    const total = 20_500;
    await db.run(sql`
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${total})
      INSERT INTO ${requestLogs} (id, workspace_id, at, request_id, credential_id, method, route, status, duration_ms, resource_ids)
      SELECT 'old-' || i, 'w', ${limitMs - 1}, 'r', 'c', 'GET', '/', 200, 1, '[]' FROM n`);
    const young = await addRowsOf(limitMs + 1);
    const deleted: number[] = [];
    await deleteOld({ ...env, DB: countingDeletions(deleted) }, now);
    expect(Math.max(...deleted)).toBe(1000);
    expect(await db.$count(requestLogs, eq(requestLogs.workspaceId, "w"))).toBe(500);
    await deleteOld(env, now);
    expect(await db.$count(requestLogs, eq(requestLogs.workspaceId, "w"))).toBe(0);
    expect(await whatIsLeftOf(young)).toEqual(ALL);
  });

  test("is deleted with all deliveries of an event, also a younger one that is pending", async () => {
    const [old, young] = [await addRowsOf(limitMs - 1), await addRowsOf(limitMs + 1)];
    const again = { eventId: old, webhookId: crypto.randomUUID(), workspaceId: "w", type: "video.media.deleted" };
    const pending = { naming: "service", status: "pending", createdAt: now, nextAttemptAt: now } as const;
    const attempt = { number: 1, startedAt: now, durationMs: 1, responseHead: "" };
    await db.batch([
      db.insert(deliveries).values({ ...again, ...pending }),
      db.insert(deliveryAttempts).values({ eventId: old, webhookId: again.webhookId, ...attempt }),
    ]);
    await deleteOld(env, now);
    expect(await whatIsLeftOf(old)).toEqual([]);
    expect(await whatIsLeftOf(young)).toEqual(ALL);
  });

  test("is found by an index in every table", async () => {
    const statements: string[] = [];
    await deleteOld({ ...env, DB: countingDeletions([], statements) }, now);
    expect(statements).toHaveLength(7);
    for (const statement of statements) {
      const plan = await env.DB.prepare(`EXPLAIN QUERY PLAN ${statement}`).bind("", 1).all<{ detail: string }>();
      const details = plan.results.map(({ detail }) => detail);
      expect(details.join("\n")).toContain("_by_age");
      expect(details.filter((detail) => detail.startsWith("SCAN"))).toEqual([]);
    }
  });
});

/** The database, which notes each deletion: its statement, and the rows that the last one of a commit deleted. */
function countingDeletions(deleted: number[], statements: string[] = []): D1Database {
  return new Proxy(env.DB, {
    get(target, name) {
      if (name === "batch")
        return async (batch: D1PreparedStatement[]) => {
          const results = await target.batch(batch);
          deleted.push(results.at(-1)!.meta.changes);
          return results;
        };
      return (text: string) => {
        statements.push(text);
        return target.prepare(text);
      };
    },
  });
}
