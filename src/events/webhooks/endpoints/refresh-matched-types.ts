import { and, eq, isNull, ne, or } from "drizzle-orm";
import { openDatabase } from "../../../platform/database.ts";
import type { Env } from "../../../platform/env.ts";
import { log } from "../../../platform/log.ts";
import { CATALOGUE_VERSION, expandPatterns } from "../../index.ts";
import { webhooks } from "../records/tables.ts";

/** Limit per run of the cron; the next run continues. */
const MAX_WEBHOOKS = 100;

/** Resolves `eventTypes` again after the catalogue has changed: a prefix such as `video.media.*` may match other kinds now. */
export async function refreshMatchedTypes(env: Env): Promise<void> {
  const db = openDatabase(env.DB);
  const stale = await db
    .select({ id: webhooks.id, eventTypes: webhooks.eventTypes })
    .from(webhooks)
    .where(or(isNull(webhooks.matchedVersion), ne(webhooks.matchedVersion, CATALOGUE_VERSION)))
    .limit(MAX_WEBHOOKS);
  for (const { id, eventTypes } of stale) {
    const matched = { matchedTypes: expandPatterns(eventTypes), matchedVersion: CATALOGUE_VERSION };
    await db
      .update(webhooks)
      .set(matched)
      .where(and(eq(webhooks.id, id), eq(webhooks.eventTypes, eventTypes)));
  }
  if (stale.length > 0) log("webhooks.types_refreshed", { webhooks: stale.length });
}
