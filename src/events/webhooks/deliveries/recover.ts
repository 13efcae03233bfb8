import { sql } from "drizzle-orm";
import { openDatabase } from "../../../platform/database.ts";
import type { Env } from "../../../platform/env.ts";
import { log } from "../../../platform/log.ts";
import { Problem } from "../../../platform/http/problems.ts";
import { findWebhook, type WebhookKey } from "../endpoints/repository.ts";
import { resetSender } from "../fan-out/call-sender.ts";
import { deliveries } from "../records/tables.ts";

const KEPT_MS = 30 * 24 * 60 * 60 * 1000;

/** What is wrong with `since`, in words that follow the field's name; null = nothing. */
export function sinceProblem(since: Date, now: Date): string | null {
  if (since > now) return "must not be in the future";
  return now.getTime() - since.getTime() > KEPT_MS ? "must not be older than 30 days" : null;
}

/**
 * Makes the deliveries created since then due now that have failed or wait for their next try, in one statement; samples are excluded.
 * Each starts a new retry schedule and keeps its event id and bytes. A delivery that is due already may be under way and keeps its schedule,
 * so none is sent twice. The owner has repaired the endpoint, so its health starts anew: otherwise the pause of a failing endpoint would
 * hold the deliveries up, also those that are due already.
 *
 * @param after runs work after the response
 * @returns how many are due now, with those that were; null when the webhook does not exist
 * @throws {Problem} validation_failed
 */
export async function recover(
  env: Env,
  key: WebhookKey,
  since: Date,
  now: Date,
  after: (work: Promise<unknown>) => void,
): Promise<number | null> {
  const message = sinceProblem(since, now);
  if (message !== null)
    throw new Problem("validation_failed", "validation failed", { fields: [{ field: "since", message }] });
  const db = openDatabase(env.DB);
  if ((await findWebhook(db, key)) === null) return null;
  const covered = sql`webhook_id = ${key.webhookId} AND workspace_id = ${key.workspaceId} AND created_at >= ${since.getTime()}
      AND EXISTS (SELECT 1 FROM events WHERE events.id = ${deliveries}.event_id AND NOT events.is_test)`;
  await db.run(sql`
    UPDATE ${deliveries} SET status = 'pending', schedule = schedule + 1, tries = 0, first_tried_at = NULL, next_attempt_at = ${now.getTime()},
      finished_at = NULL, last_failure = NULL
    WHERE ${covered} AND (status = 'failed' OR (status = 'pending' AND next_attempt_at > ${now.getTime()}))
      AND EXISTS (SELECT 1 FROM webhooks WHERE webhooks.id = ${key.webhookId} AND webhooks.deleted_at IS NULL)`);
  const recovered = await db.$count(deliveries, sql`${covered} AND status = 'pending'`);
  log("webhook.recovered", { ...key, deliveries: recovered });
  if (recovered > 0) after(resetSender(env, key.webhookId));
  return recovered;
}
