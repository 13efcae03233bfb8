import type { Target } from "../attempt/target.ts";
import { admits, disabledBecause, isFailing } from "./endpoint-health.ts";
import { makeAttempt } from "./make-attempt.ts";
import type { SenderComponents } from "./components.ts";

/**
 * Attempts of one run; then the alarm starts another run. An invocation may make 10,000 subrequests, and an attempt makes up to three:
 * two of them resolve the name.
 */
const MAX_ATTEMPTS_PER_RUN = 1500;

/** Sends until nothing more may be sent now, and records every outcome. @throws {Error} when D1 does not accept the outcomes */
export async function sendDue(sender: SenderComponents, target: Target): Promise<void> {
  const { queue, recorder, underWay, woken } = sender;
  for (;;) {
    if (maySend(sender, target)) startAttempts(sender, target);
    const isBusy = underWay.size > 0 && !queue.isEmpty;
    recorder.write(target, isBusy, sender.health.failingSinceMs);
    const pending = [...underWay.all, queue.fetching, recorder.writing].filter((one) => one !== null);
    if (pending.length === 0) break;
    await Promise.race([...pending, woken.wait]);
    woken.clear();
  }
  if (recorder.error !== null) throw recorder.error;
  queue.release();
}

/** Whether the run has made its share of attempts. */
export const hasStartedAll = ({ underWay }: SenderComponents): boolean => underWay.startedInRun >= MAX_ATTEMPTS_PER_RUN;

function maySend(sender: SenderComponents, target: Target): boolean {
  const mustBeDisabled = disabledBecause(sender.health.current, Date.now()) !== null;
  const isCurrent = sender.target.isCurrent(target);
  return isCurrent && !mustBeDisabled && sender.recorder.error === null && !hasStartedAll(sender);
}

/** Starts as many attempts as the endpoint's health admits. */
function startAttempts(sender: SenderComponents, target: Target): void {
  const { queue, underWay } = sender;
  const health = sender.health.current;
  const free = admits(health, { nowMs: Date.now(), underWay: underWay.size });
  for (let started = 0; started < free; started += 1) {
    const claimed = queue.next(isFailing(health));
    if (claimed === undefined) break;
    underWay.start(claimed.due.eventId, () => makeAttempt(sender, target, claimed));
  }
  if (free > 0) queue.refill(target.webhookId);
}
