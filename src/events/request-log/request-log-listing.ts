import { z } from "@hono/zod-openapi";
import { and, desc, eq, gte, lt, ne, type SQL, sql } from "drizzle-orm";
import type { Database } from "../../platform/database.ts";
import { requestLogs } from "./tables.ts";
import { toTimestamp } from "../../platform/timestamp.ts";

export type LoggedRequest = typeof requestLogs.$inferSelect;

export const RequestLogRecord = z
  .object({
    id: z.uuid(),
    at: z.iso.datetime().openapi({ description: "When it came", example: "2026-05-20T12:50:15.662000Z" }),
    method: z.string(),
    route: z
      .string()
      .openapi({ description: "`unknown` = there is no such route", example: "/v1/on-demand/{mediaId}" }),
    status: z.int().openapi({ description: "HTTP" }),
    durationMs: z.int().openapi({ description: "Until the answer's head" }),
    requestId: z.string().openapi({ description: "The answer's `x-request-id`" }),
    credentialId: z.string().openapi({ description: "The access token id that it came with" }),
    resourceIds: z
      .array(z.string())
      .openapi({ description: "What it was about: the ids in its path, then of what it created" }),
  })
  .openapi("RequestLog");

export interface RequestFilter {
  method?: string | undefined;
  /** Inclusive. */
  statuses?: readonly [number, number] | undefined;
  /** The first of its ids. */
  resourceId?: string | undefined;
  exceptRoute?: string;
  from?: Date | undefined; // inclusive
  to?: Date | undefined; // exclusive
  /** Of the last request that was seen: its time (epoch ms) and id. */
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
    // The plus keeps SQLite from walking through the whole workspace for what the resource's own index holds.
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
