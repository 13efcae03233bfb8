import type { SoakResult } from "./soak.ts";

/** A summary of a soak for its report. */
export function figuresOf({ traffic, stored, webhooks, downMs, disturbedMs, settledMs }: SoakResult) {
  const byFailure = Map.groupBy(stored.attempts, ({ failure }) => failure ?? "delivered");
  const count = (what: string) => byFailure.get(what)?.length ?? 0;
  return {
    requests: traffic.requests,
    cutOff: traffic.cutOff,
    events: stored.events.length,
    deliveries: stored.deliveries.length,
    failed: stored.deliveries.filter(({ status }) => status === "failed").length,
    received: webhooks.reduce((sum, { receiver }) => sum + receiver.seen.length, 0),
    attempts: {
      delivered: count("delivered"),
      bad_status: count("bad_status"),
      connection_failed: count("connection_failed"),
      answer_broken_off: count("answer_broken_off"),
      interrupted: count("interrupted"),
    },
    timedOut: count("timed_out"),
    gone: count("gone"), // none when a kill cut off the very attempt that was answered so
    mostAtOnce: Math.max(...webhooks.map(({ receiver }) => receiver.mostAtOnce())),
    downMs: downMs.map(Math.round),
    disturbedMs,
    settledMs,
  };
}
