/**
 * Compares the delivery log with the receivers' logs, attempt by attempt. Attempts of one delivery are sequential, so a request
 * belongs to the last attempt that had begun when it arrived; all times are from the clock of one machine.
 *
 * The only uncertainty after a kill is the progress of an `interrupted` attempt. Everything else is exact.
 */
import { type Account, isTaken } from "./account.ts";
import type { Conduct } from "./plan.ts";
import type { SeenRequest, SoakReceiver } from "./receiver.ts";
import type { StoredAttempt } from "./stored.ts";

/** The log's possible names for each conduct of a receiver. A reset can overtake the head of the answer before it. */
const NAMES: Record<Conduct, readonly string[]> = {
  ok: ["delivered 200"],
  slow: ["delivered 200"],
  error: ["bad_status 500"],
  busy: ["bad_status 503"],
  gone: ["gone 410"],
  silent: ["timed_out"],
  drop: ["connection_failed"],
  reset: ["answer_broken_off 200", "connection_failed"],
};

export function* judgeAttempts({ name, webhook, deliveries, attempts, requests }: Account): Generator<string> {
  const isGoneLater = webhook.plan.receiver.goneAtRequest !== null;
  for (const [eventId, delivery] of deliveries) {
    const logged = attempts.get(eventId) ?? [];
    const seen = requests.get(eventId) ?? [];
    const what = `${name}, ${eventId}`;
    if (delivery.attempts !== logged.length || logged.some(({ number }, index) => number !== index + 1))
      yield `${what}: ${delivery.attempts} attempts are counted, the log has ${logged.map(({ number }) => number).join()}`;
    const early = seen.filter(({ atMs }) => atMs < (logged[0]?.startedAtMs ?? Number.POSITIVE_INFINITY));
    if (early.length > 0) yield `${what}: ${early.length} requests came before the first attempt in the log`;

    let isTakenForSure = false;
    for (const [index, attempt] of logged.entries()) {
      const endMs = logged[index + 1]?.startedAtMs ?? Number.POSITIVE_INFINITY;
      const its = seen.filter(({ atMs }) => atMs >= attempt.startedAtMs && atMs < endMs);
      const trouble = troubleOf(attempt, its, webhook.receiver.downs);
      if (trouble !== null) yield `${what}, attempt ${attempt.number} (${nameOf(attempt)}): ${trouble}`;
      if (attempt.failure !== "interrupted" && its.some(isTaken)) isTakenForSure = true;
      if (attempt.failure === null && index < logged.length - 1) yield `${what}: tried again after it was delivered`;
    }
    if (isTakenForSure !== (delivery.status === "delivered"))
      yield `${what} is ${delivery.status}, but its receiver ${isTakenForSure ? "has accepted it" : "has not accepted it"}`;
    // Accepted, interrupted by a kill before the outcome was recorded, and then the endpoint was gone: the only case in which both may differ.
    if (seen.some(isTaken) && delivery.status !== "delivered" && !isGoneLater)
      yield `${what}: accepted, but not recorded as delivered`;
  }
}

const nameOf = ({ failure, status }: StoredAttempt) =>
  [failure ?? "delivered", status].filter((part) => part !== null).join(" ");

function troubleOf(attempt: StoredAttempt, its: SeenRequest[], downs: SoakReceiver["downs"]): string | null {
  const [request, ...more] = its;
  if (more.length > 0) return `${its.length} requests came`;
  if (attempt.failure === "interrupted") return null;
  const wasDown = downs.some(
    ({ fromMs, toMs }) => attempt.startedAtMs <= toMs && attempt.startedAtMs + attempt.durationMs >= fromMs,
  );
  if (request === undefined) return attempt.failure === "connection_failed" && wasDown ? null : "no request came";
  const names = request.ending === "answered" ? NAMES[request.conduct] : namesOfCut(request, wasDown);
  return names.includes(nameOf(attempt)) ? null : `its receiver logged ${request.conduct}, ${request.ending}`;
}

/** A request that the receiver did not answer: the receiver went down, or the sender timed out. */
function namesOfCut({ conduct }: SeenRequest, wasDown: boolean): readonly string[] {
  const cut = wasDown ? [...(conduct === "reset" ? NAMES.reset : []), "connection_failed"] : [];
  return conduct === "silent" ? [...cut, ...NAMES.silent] : cut;
}
