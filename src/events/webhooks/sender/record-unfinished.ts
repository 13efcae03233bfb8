import type { Env } from "../../../platform/env.ts";
import { log } from "../../../platform/log.ts";
import type { AttemptJournal } from "./attempt-journal.ts";
import { findPending } from "./due.ts";
import { interrupted } from "./outcome.ts";
import { recordSettled } from "./record.ts";
import { fitting, type Recorder } from "./recorder.ts";
import { findTarget } from "./target.ts";

/**
 * Records the attempts in the journal before new ones start: those whose outcomes D1 did not take, and as `interrupted` those that a
 * restart has cut short.
 */
export async function recordUnfinished(
  env: Env,
  webhookId: string,
  { journal, recorder, failingSinceMs }: { journal: AttemptJournal; recorder: Recorder; failingSinceMs: number | null },
): Promise<void> {
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
