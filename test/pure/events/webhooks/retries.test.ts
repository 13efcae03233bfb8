import { describe, expect, test } from "vitest";
import { MAX_RETRY_GAP_MS } from "../../../../src/events/webhooks/sender/retry-schedule.ts";
import { alarmAtMs, retryMessages } from "../../../../src/events/webhooks/sender/retries.ts";
import type { SettledAttempt } from "../../../../src/events/webhooks/sender/settled-attempt.ts";

const NOW_MS = 1_795_175_070_123;
const outcome = (next: SettledAttempt["next"], waitMs: number | null): SettledAttempt => ({
  eventId: "event",
  eventType: "asset.ready",
  number: 1,
  schedule: 0,
  startedAtMs: NOW_MS - 100,
  durationMs: 50,
  status: 500,
  failure: next === "delivered" ? null : "bad_status",
  detail: null,
  responseHead: "",
  next,
  tries: 1,
  firstTriedAtMs: NOW_MS - 100,
  nextAttemptAtMs: waitMs === null ? null : NOW_MS + waitMs,
  endedAtMs: NOW_MS - 50,
  exhaustedEventId: null,
});
const delays = (...outcomes: SettledAttempt[]) =>
  retryMessages("webhook", outcomes, NOW_MS).map(({ delaySeconds }) => delaySeconds);

describe("messages of retries", () => {
  test("carry the ids of the delivery and nothing else", () => {
    expect(retryMessages("webhook", [outcome("pending", 5000)], NOW_MS)).toEqual([
      { eventId: "event", webhookIds: ["webhook"], delaySeconds: 5 },
    ]);
  });

  test("are sent for failed attempts that are tried again only", () => {
    expect(delays(outcome("delivered", null), outcome("failed", null))).toEqual([]);
  });

  test("never arrive before the retry is due, and less than a second after it", () => {
    expect(delays(...[1000, 4999, 5000, 5001].map((waitMs) => outcome("pending", waitMs)))).toEqual([1, 5, 5, 6]);
  });

  test("are not sent for waits below a second, which the alarm times", () => {
    expect(delays(outcome("pending", 0), outcome("pending", 999))).toEqual([]);
  });

  test("carry the longest wait of the schedule without a second hop", () => {
    expect(delays(outcome("pending", MAX_RETRY_GAP_MS))).toEqual([MAX_RETRY_GAP_MS / 1000]);
    expect(delays(outcome("pending", MAX_RETRY_GAP_MS + 60_000))).toEqual([43_200]); // the alarm covers the rest
  });
});

describe("the alarm of a sender at rest", () => {
  const afterDueMs = (waitMs: number, scale = 1) => alarmAtMs(NOW_MS + waitMs, NOW_MS, scale) - (NOW_MS + waitMs);

  test("comes 15 s after a retry that has a message", () => {
    expect(afterDueMs(5000)).toBe(15_000);
  });

  test("comes on time for retries without a message: those already due, and waits below a second", () => {
    expect([afterDueMs(-5000), afterDueMs(0), afterDueMs(999)]).toEqual([0, 0, 0]);
  });

  test("leaves a scaled-down schedule at least 2 s for the message", () => {
    expect([afterDueMs(1000, 0.002), afterDueMs(1000, 0.5)]).toEqual([2000, 7500]);
  });
});
