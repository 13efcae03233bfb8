import type { z } from "@hono/zod-openapi";
import { openDatabase } from "../../platform/database.ts";
import type { Env } from "../../platform/env.ts";
import { log } from "../../platform/log.ts";
import { checkAlert, checkUnit } from "./check-alert.ts";
import { type AlertRule, changeAlert, findAlert } from "./repository.ts";
import type { UpdateAlert } from "./schemas.ts";

/**
 * Changes an alert. Its state stays: the next buckets decide whether a triggered alert recovers under the changed rule.
 *
 * @returns null when the workspace has no such alert
 * @throws {Problem} validation_failed
 */
export async function updateAlert(
  env: Env,
  { workspaceId, alertId }: { workspaceId: string; alertId: string },
  body: z.output<typeof UpdateAlert>,
  now: Date,
): Promise<AlertRule | null> {
  const db = openDatabase(env.DB);
  const change = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined));
  for (;;) {
    const seen = await findAlert(db, workspaceId, alertId);
    if (seen === null || Object.keys(change).length === 0) return seen;
    if (body.thresholdValue === undefined) checkUnit(seen.metric, body.metric);
    checkAlert({ ...seen, ...change });
    // Checked again if another change came first: metric and threshold must match.
    const changed = await changeAlert(db, seen, { ...change, updatedAt: now });
    if (changed === null) continue;
    log("alert.updated", { alertId, workspaceId, fields: Object.keys(change) });
    return changed;
  }
}
