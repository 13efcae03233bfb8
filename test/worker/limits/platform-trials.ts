/** Limits of requests, sources and the platform's own tables. */
import { env, runInDurableObject } from "cloudflare:test";
import { sql } from "drizzle-orm";
import { vi } from "vitest";
import settings from "../../../wrangler.toml?raw";
import { Outbox } from "../../../src/platform/machine/outbox.ts";
import { openDatabase } from "../../../src/platform/database.ts";
import { HealthCache } from "../../../src/health.ts";
import { findFirstAnswer } from "../../../src/platform/http/idempotency.ts";
import { requestLogs } from "../../../src/events/request-log/tables.ts";
import { idempotencyKeys } from "../../../src/platform/http/tables.ts";
import { deleteOld } from "../../../src/retention.ts";
import { newStreamSecret } from "../../../src/live/streams/ids.ts";
import { openHttpSource } from "../../../src/library/sources/http-range-reader.ts";
import { maxSourceBytes } from "../../../src/library/sources/limits.ts";
import { SourceError } from "../../../src/library/sources/source-errors.ts";
import { TAKEN, type Trial, until, upTo } from "../../support/limits/trials.ts";
import { openSourceServer, type RemoteServer } from "../library/sources/source-servers.ts";
import { send } from "../workspace.ts";

const db = openDatabase(env.DB);

/** Logins are counted per time window. A trial may span two windows, so it is refused after one to two times the bound. */
const logins =
  (headersOf: (n: number) => Record<string, string>): Trial =>
  async (bound) => {
    if (!settings.includes(`simple = { limit = ${bound}, period = 60 }`))
      throw new Error("wrangler.toml has a different limit");
    const statuses: number[] = [];
    for (let n = 0; n <= 2 * bound && statuses.at(-1) !== 429; n++)
      statuses.push((await send(new Request("http://sluice.test/v1/on-demand", { headers: headersOf(n) }))).status);
    const areTaken = statuses.slice(0, bound).every((status) => status === 401);
    return { atBound: areTaken ? TAKEN : "429", above: String(statuses.at(-1)) };
  };
const wrong = (id: string) => `Basic ${btoa(`${id}:wrong`)}`;
const credentialId = crypto.randomUUID();

/** Each trial has a network of its own: some kinds of ids are counted together. */
let networks = 77;

/**
 * The limiter of unknown ids, after one less than its bound. An isolate learns that a network has tried too many ids when it counts one more.
 *
 * @param guess asks for an id that does not exist, with these headers
 */
export const guessed =
  (guess: (headers: Headers) => Promise<string>): Trial =>
  async (bound) => {
    if (
      !new RegExp(`name = "UNKNOWN_IDS".*\nnamespace_id = .*\nsimple = \\{ limit = ${bound}, period = 60 \\}`).test(
        settings,
      )
    )
      throw new Error("wrangler.toml has a different limit");
    let count = bound - 1;
    const limiter = vi.spyOn(env.UNKNOWN_IDS, "limit");
    limiter.mockImplementation(async () => ({ success: ++count <= bound }));
    const network = `2001:db8:${(networks += 1)}::1`;
    const again = () => guess(new Headers({ "cf-connecting-ip": network }));
    try {
      await again();
      return { atBound: await again(), above: await again() };
    } finally {
      limiter.mockRestore();
    }
  };

const guesses = (taken: string, ask: () => { path: string; init?: RequestInit }): Trial =>
  guessed(async (headers) => {
    const { path, init = {} } = ask();
    for (const [name, value] of new Headers(init.headers)) headers.set(name, value);
    const { status } = await send(new Request(`http://sluice.test${path}`, { ...init, headers }));
    return String(status) === taken ? TAKEN : String(status);
  });

/** Reads a source from a new server. @returns the error code, or `TAKEN` */
async function source(read: (origin: RemoteServer) => Promise<unknown>): Promise<string> {
  try {
    await read(await openSourceServer());
    return TAKEN;
  } catch (error) {
    if (error instanceof SourceError) return error.code;
    throw error;
  }
}

/** Whether a log row of this age is deleted by a run of the cron. */
async function retained(ageMs: number): Promise<string> {
  const [id, now] = [crypto.randomUUID(), new Date("2026-11-22T12:00:00.000Z")];
  const at = new Date(now.getTime() - ageMs);
  const line = { requestId: "r", credentialId: "c", method: "GET", route: "/", status: 200, durationMs: 1 };
  await db.insert(requestLogs).values({ id, workspaceId: "w", ...line, at, resourceIds: [] });
  await deleteOld(env, now);
  return (await db.$count(requestLogs, sql`id = ${id}`)) === 1 ? TAKEN : "deleted";
}
async function deletedInOneRun(rows: number): Promise<string> {
  const workspaceId = crypto.randomUUID();
  await db.run(sql`
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${rows})
    INSERT INTO ${requestLogs} (id, workspace_id, at, request_id, credential_id, method, route, status, duration_ms, resource_ids)
    SELECT ${workspaceId} || i, ${workspaceId}, 1, 'r', 'c', 'GET', '/', 200, 1, '[]' FROM n`);
  await deleteOld(env, new Date());
  const left = await db.$count(requestLogs, sql`workspace_id = ${workspaceId}`);
  await deleteOld(env, new Date());
  return left === 0 ? TAKEN : "next run";
}

async function firstAnswer(ageMs: number): Promise<string> {
  const [key, workspaceId, now] = [crypto.randomUUID(), crypto.randomUUID(), new Date()];
  const createdAt = new Date(now.getTime() - ageMs);
  await db
    .insert(idempotencyKeys)
    .values({ workspaceId, key, resourceId: "r", requestHash: "h", status: 201, body: "{}", createdAt });
  return (await findFirstAnswer(db, { workspaceId, key, requestHash: "h" }, now)) === null ? "forgotten" : TAKEN;
}

async function healthAfter(ms: number): Promise<string> {
  let nowMs = 0;
  let looks = 0;
  const media = { head: async () => void (looks += 1) } as unknown as R2Bucket;
  const cache = new HealthCache(() => nowMs);
  for (nowMs of [0, ms]) await cache.read({ ...env, MEDIA: media }, "public");
  return looks === 1 ? TAKEN : "checked anew";
}

/** Number of messages in the first batch of an outbox. */
async function delivered(payloads: string[]): Promise<number> {
  const stub = env.LIVE_STREAM_MACHINE.get(env.LIVE_STREAM_MACHINE.newUniqueId());
  return await runInDurableObject(stub, async (_, { storage }) => {
    const batches: number[] = [];
    const outbox = new Outbox(storage.sql, async (messages) => void batches.push(messages.length));
    for (const payload of payloads) storage.sql.exec("INSERT INTO outbox (kind, payload) VALUES ('k', ?)", payload);
    await outbox.drain();
    return batches[0]!;
  });
}

export const PLATFORM_TRIALS = {
  "unknown-ids": guesses("404", () => ({ path: `/${crypto.randomUUID()}.m3u8` })),
  "unknown-old-ids": guesses("404", () => ({
    path: `/migrated/${crypto.randomUUID()}/mux/${crypto.randomUUID()}.m3u8`,
  })),
  "unknown-logins": guesses("401", () => ({
    path: "/v1/on-demand",
    init: { headers: { authorization: wrong(crypto.randomUUID()) } },
  })),
  "unknown-stream-keys": guesses("401", () => ({
    path: `/ingest/${newStreamSecret(crypto.randomUUID().replaceAll("-", ""))}`,
    init: { method: "POST" },
  })),
  "failed-logins-of-address": logins(() => ({
    authorization: wrong(crypto.randomUUID()),
    "cf-connecting-ip": "192.0.2.77",
  })),
  "failed-logins-of-credential": logins((n) => ({
    authorization: wrong(credentialId),
    "cf-connecting-ip": `198.18.0.${n}`,
  })),
  "health-result": until(healthAfter),
  "source-size": upTo(async (bytes) => {
    if (bytes < maxSourceBytes(env)) return "the page has a different number than wrangler.toml";
    return await source(async (server) => {
      await server.add("/large", { kind: "content", sizeBytes: bytes });
      await openHttpSource(env, `${server.origin}/large`);
    });
  }),
  "source-redirects": upTo((count) =>
    source(async (server) => {
      for (let n = 0; n < count; n++) await server.add(`/${n}`, { kind: "redirect", location: `/${n + 1}` });
      await server.add(`/${count}`, { kind: "content", text: "the end" });
      await openHttpSource(env, `${server.origin}/0`);
    }),
  ),
  "source-answers": upTo((count) =>
    source(async (server) => {
      const url = await server.add("/crumbs", { kind: "content", sizeBytes: 1 << 20 });
      const reader = await openHttpSource(env, url, { firstBytes: count, blockBytes: count });
      await server.add("/crumbs", { kind: "content", sizeBytes: 1 << 20, maxRangeBytes: 1 });
      await reader.read(count * 2000, 1);
    }),
  ),
  "kept-days": upTo(retained),
  "rows-deleted": upTo(deletedInOneRun),
  "idempotency-kept": until(firstAnswer),
  "outbox-messages": upTo(async (count) =>
    (await delivered(Array.from({ length: count }, () => "{}"))) === count ? TAKEN : "next batch",
  ),
  "outbox-length": until(async (length) =>
    (await delivered([`"${"x".repeat(length - 2)}"`, "{}"])) === 2 ? TAKEN : "next batch",
  ),
};
