import { log } from "../../../platform/log.ts";
import { findPending } from "./due.ts";
import { interrupted } from "./settled-attempt.ts";
import { recordSettled } from "./record-settled.ts";
import type { SenderComponents } from "./components.ts";
import { fitting } from "./recorder.ts";
import { findTarget } from "../attempt/target.ts";

/**
 * Records the attempts that are still in the journal. Outcomes that D1 did not accept are written again, and attempts that a restart
 * interrupted are recorded as `interrupted`. Call it before new attempts start.
 */
export async function recordUnfinished(
  { env, health, journal, recorder }: SenderComponents,
  webhookId: string,
): Promise<void> {
  const { failingSinceMs } = health;
  const settled = recorder.takeUnrecorded();
  const settledIds = new Set(settled.map(({ eventId }) => eventId));
  const cutOff = journal.unfinished().filter(({ eventId }) => !settledIds.has(eventId));
  if (settled.length + cutOff.length === 0) return;
  const target = await findTarget(env, webhookId, Date.now());
  if (target === null) return;
  const ids = cutOff.map(({ eventId }) => eventId);
  const rows = new Map((await findPending(env, webhookId, ids)).map((row) => [row.eventId, row]));
  for (const attempt of cutOff) {
    const row = rows.get(attempt.eventId);
    settled.push(interrupted(attempt, row?.type ?? "", row?.firstTriedAtMs ?? null, Date.now()));
  }
  for (let rest = settled; rest.length > 0;) {
    const group = fitting(rest);
    const { publish } = await recordSettled(env, target, group, failingSinceMs);
    journal.remove(group.map(({ eventId }) => eventId));
    rest = rest.slice(group.length);
    void publish();
  }
  log("deliveries.resumed", { webhookId, settled: settledIds.size, interrupted: cutOff.length });
}
