import type { SQL } from "drizzle-orm";
import { commit, openDatabase, type Statement } from "../../../platform/database.ts";
import type { Env } from "../../../platform/env.ts";
import { log } from "../../../platform/log.ts";
import { insertEvent, type NewEvent } from "../../index.ts";
import { type FannedOut, fanOut } from "./fan-out.ts";
import { redactEvent } from "./redact-event.ts";
import { type FannedOutEvent, wakeSenders } from "./wake-senders.ts";

export interface Announcement {
  event: NewEvent;
  /** Condition for creating the event, evaluated after the change. `changes() > 0` = the change's last statement had an effect. */
  onlyIf?: SQL;
  /** The webhook that the event is about. It does not get the event. */
  exceptWebhookId?: string;
  /** Another event with the same `video` name: a webhook with `naming: "video"` that gets that one does not get this one too. */
  twinId?: string;
}

/** The result of a commit with events. */
export interface Committed {
  /** For each announcement, whether its event was inserted by this commit. */
  isNew: boolean[];
  /** Wakes the senders, directly and through the queue. Never throws. If a call and its message are lost, the cron wakes the sender. */
  wake: () => Promise<void>;
}

/**
 * Commits a change together with its events and, for each event, a delivery to every webhook that subscribes to it. This is the only way to
 * create an event. The caller runs `wake` after its response.
 */
export async function commitWithEvents(
  env: Env,
  change: Statement[],
  announcements: Announcement[],
): Promise<Committed> {
  const db = openDatabase(env.DB);
  const redacted = await Promise.all(
    announcements.map(async (announcement) => ({ ...announcement, event: await redactEvent(env, announcement.event) })),
  );
  const statements = redacted.flatMap(({ event, onlyIf, exceptWebhookId, twinId }) => [
    insertEvent(db, event, onlyIf),
    fanOut(db, event.id, exceptWebhookId, twinId),
  ]);
  const results = await commit(env.DB, [...change, ...statements]);
  const isNew: boolean[] = [];
  const fannedOutEvents: FannedOutEvent[] = [];
  for (const [index, { event }] of redacted.entries()) {
    const [insertion, fannedOut] = results.slice(change.length + 2 * index);
    const [row] = insertion!.results as { body: string }[];
    isNew.push(row !== undefined);
    if (row === undefined) continue;
    const due = (fannedOut!.results as FannedOut[]).filter(({ status }) => status === "pending");
    log("event.announced", { eventId: event.id, type: event.type, objectId: event.objectId, webhooks: due.length });
    if (due.length > 0) fannedOutEvents.push({ event, body: row.body, due });
  }
  return { isNew, wake: () => wakeSenders(env, fannedOutEvents) };
}
