import { z } from "@hono/zod-openapi";
import { openDatabase } from "../platform/database.ts";
import type { Env } from "../platform/env.ts";
import { cutPage, readCursor } from "../platform/http/cursor.ts";
import type { Naming } from "./catalogue/catalogue.ts";
import { envelopeOf, type EventFilter, listEvents } from "./listing.ts";

/** Position of a page's last event: time and id. */
const SortKey = z.tuple([z.iso.datetime({ precision: 9 }), z.uuid()]);

export interface EventQuery extends Omit<EventFilter, "after"> {
  limit: number;
  cursor?: string | undefined;
  naming: Naming;
}

/** One page of a workspace's events, newest first. @throws {Problem} validation_failed */
export async function listEventPage(env: Env, workspaceId: string, query: EventQuery) {
  const { limit, cursor, naming, ...filter } = query;
  const after = readCursor(cursor, SortKey);
  const found = await listEvents(openDatabase(env.DB), workspaceId, { ...filter, after }, limit + 1);
  const { rows, pagination } = cutPage(found, limit, ({ createdAt, id }) => [createdAt, id]);
  return { records: rows.map((event) => envelopeOf(event, naming)), pagination };
}
