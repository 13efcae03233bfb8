import { z } from "@hono/zod-openapi";
import { and, desc, eq, gte, lt, ne, type SQL, sql } from "drizzle-orm";
import type { Database } from "../../platform/database.ts";
import { toTimestamp } from "../../platform/timestamp.ts";
import { requestLogs } from "./tables.ts";

export type LoggedRequest = typeof requestLogs.$inferSelect;

export const RequestLogRecord = z
  .object({
    id: z.uuid(),
    at: z.iso.datetime().openapi({ description: "When it arrived", example: "2026-05-20T12:50:15.662000Z" }),
    method: z.string(),
    route: z.string().openapi({ description: "`unknown` = no such route exists", example: "/v1/on-demand/{mediaId}" }),
    status: z.int().openapi({ description: "HTTP" }),
    durationMs: z.int().openapi({ description: "Until the response headers" }),
    requestId: z.string().openapi({ description: "`x-request-id` of the response" }),
    credentialId: z.string().openapi({ description: "The access token id of its credentials" }),
    resourceIds: z.array(z.string()).openapi({ description: "The ids in its path, then those of what it created" }),
  })
  .openapi("RequestLog");

export interface RequestFilter {
  method?: string | undefined;
  /** Inclusive. */
  statuses?: readonly [number, number] | undefined;
  /** Matches the first of a request's resource ids. */
  resourceId?: string | undefined;
  exceptRoute?: string;
  from?: Date | undefined; // inclusive
  to?: Date | undefined; // exclusive
  /** Position of the previous page's last request: time (epoch ms) and id. */
  after?: readonly [number, string] | null;
}

/** Requests of a workspace, newest first. */
export function listRequests(
  db: Database,
  workspaceId: string,
  { method, statuses, resourceId, exceptRoute, from, to, after }: RequestFilter,
  limit: number,
): Promise<LoggedRequest[]> {
  const conditions: (SQL | undefined)[] = [
    // The unary plus makes SQLite use the resource's index instead of the workspace's, which has more rows.
    resourceId === undefined
      ? eq(requestLogs.workspaceId, workspaceId)
      : sql`+${requestLogs.workspaceId} = ${workspaceId}`,
    resourceId === undefined ? undefined : eq(requestLogs.resourceId, resourceId),
    method === undefined ? undefined : eq(requestLogs.method, method),
    statuses && sql`${requestLogs.status} BETWEEN ${statuses[0]} AND ${statuses[1]}`,
    exceptRoute === undefined ? undefined : ne(requestLogs.route, exceptRoute),
    from && gte(requestLogs.at, from),
    to && lt(requestLogs.at, to),
    after ? sql`(${requestLogs.at}, ${requestLogs.id}) < (${after[0]}, ${after[1]})` : undefined,
  ];
  return db
    .select()
    .from(requestLogs)
    .where(and(...conditions))
    .orderBy(desc(requestLogs.at), desc(requestLogs.id))
    .limit(limit);
}

export const toRequestLog = (row: LoggedRequest): z.infer<typeof RequestLogRecord> => ({
  id: row.id,
  at: toTimestamp(row.at),
  method: row.method,
  route: row.route,
  status: row.status,
  durationMs: row.durationMs,
  requestId: row.requestId,
  credentialId: row.credentialId,
  resourceIds: row.resourceIds,
});
