import { sql } from "drizzle-orm";
import { createMiddleware } from "hono/factory";
import { matchedRoutes } from "hono/route";
import { hasSpareRoom } from "../../platform/database-room.ts";
import { openDatabase } from "../../platform/database.ts";
import type { Env } from "../../platform/env.ts";
import { GatheredWrites } from "../../platform/gathered-writes.ts";
import { errorFields, log, logError } from "../../platform/log.ts";
import type { AppContext } from "../../platform/http/router.ts";
import { requestLogs } from "./tables.ts";

type Row = typeof requestLogs.$inferInsert;

/** The route and resource ids of a request. Pure. @param pattern Hono's, `/v1/on-demand/:mediaId`; null = no such route */
export function describeRoute(pattern: string | null, path: string): { route: string; ids: string[] } {
  if (pattern === null) return { route: "unknown", ids: [] };
  const parts = pattern.split("/");
  const values = path.split("/");
  const ids = parts.flatMap((part, index) => (isLogged(part) ? [decode(values[index] ?? "")] : []));
  return {
    route: parts.map((part) => part.replace(/^:(\w+).*$/, "{$1}")).join("/"),
    ids: ids.map((id) => (UUID.test(id) ? id.toLowerCase() : id.slice(0, 64).toWellFormed())),
  };
}

/** The id of a viewer may identify a person, who may have asked to be forgotten with that very request. */
const isLogged = (part: string) => part.startsWith(":") && part !== ":viewerId";

/** The API accepts ids in either case and returns them in lower case, so that is how they are stored. */
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Stores the request, its credential and its outcome after the response. */
export const logRequests = createMiddleware<AppContext>(async (c, next) => {
  const startedAt = Date.now();
  await next();
  // Patterns of middleware end with "*". The first other pattern is the route's.
  const pattern = matchedRoutes(c).find(({ path }) => !path.endsWith("*"))?.path ?? null;
  const { route, ids } = describeRoute(pattern, c.req.path);
  const resourceIds = [...ids, ...(c.var.createdIds ?? [])];
  const row = {
    id: crypto.randomUUID(),
    workspaceId: c.var.caller.workspaceId,
    at: new Date(startedAt),
    requestId: c.var.requestId.slice(0, 64),
    credentialId: c.var.caller.credentialId,
    method: c.req.method,
    route,
    status: c.res.status,
    durationMs: Date.now() - startedAt,
    resourceIds,
    resourceId: resourceIds[0] ?? null,
  };
  const { requestId, method, status, durationMs, credentialId } = row;
  log("request.answered", { requestId, method, route, status, tookMs: durationMs, credentialId, resourceIds });
  c.executionCtx.waitUntil(keep(c.env, row));
});

const lines = new GatheredWrites<Row>(Date.now);

const keep = (env: Env, row: Row): Promise<void> =>
  lines.add(row, async (rows) => {
    await insertIfRoom(env, rows)
      .catch(() => insertIfRoom(env, rows)) // the first write may have succeeded: existing rows stay as they are
      .catch((error: unknown) => logError("request_log.write_failed", { rows: rows.length, ...errorFields(error) }));
  });

/** A caller's requests are GBs a day at most. When D1 is nearly full, they are in the Worker's log alone. */
async function insertIfRoom(env: Env, rows: Row[]): Promise<void> {
  if (await hasSpareRoom(env.DB)) await insert(env, rows);
}

async function insert(env: Env, rows: Row[]): Promise<void> {
  const json = JSON.stringify(rows.map((row) => ({ ...row, at: row.at.getTime() })));
  const field = (name: string) => sql.raw(`json_extract(value, '$.${name}')`);
  await openDatabase(env.DB).run(sql`
    INSERT INTO ${requestLogs} (id, workspace_id, at, request_id, credential_id, method, route, status, duration_ms, resource_ids, resource_id)
    SELECT ${field("id")}, ${field("workspaceId")}, ${field("at")}, ${field("requestId")}, ${field("credentialId")}, ${field("method")},
      ${field("route")}, ${field("status")}, ${field("durationMs")}, ${field("resourceIds")}, ${field("resourceId")}
    FROM json_each(${json})
    WHERE true -- otherwise SQLite parses ON CONFLICT as part of a join
    ON CONFLICT DO NOTHING`);
}
