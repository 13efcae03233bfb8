import { z } from "@hono/zod-openapi";
import { openDatabase } from "../../platform/database.ts";
import type { Env } from "../../platform/env.ts";
import { cutPage, readCursor } from "../../platform/http/cursor.ts";
import { listRequests, type RequestFilter, toRequestLog } from "./request-log-listing.ts";

/** Position of a page's last request: time (epoch ms) and id. */
const SortKey = z.tuple([z.int(), z.uuid()]);

export interface RequestQuery extends Omit<RequestFilter, "after"> {
  limit: number;
  cursor?: string | undefined;
}

/** One page of a workspace's requests, newest first. @throws {Problem} validation_failed */
export async function listRequestPage(env: Env, workspaceId: string, { limit, cursor, ...filter }: RequestQuery) {
  const after = readCursor(cursor, SortKey);
  const found = await listRequests(openDatabase(env.DB), workspaceId, { ...filter, after }, limit + 1);
  const { rows, pagination } = cutPage(found, limit, ({ at, id }) => [at.getTime(), id]);
  return { records: rows.map(toRequestLog), pagination };
}
