/** When an alert is triggered and when it recovers, bucket by bucket. */
import { describe, expect, test } from "vitest";
import { type AlertState, BUCKET_MS, decide, lastBucketEndMs } from "../../../src/analytics/alerts/decide.ts";

const rule = {
  operator: ">" as ">" | ">=",
  thresholdValue: 0.1,
  minViews: 10,
  cooldownMinutes: 0,
  recoveryBucketCount: 2,
};
const NEW: AlertState = { status: "ok", triggeredAtMs: null, healthyBuckets: 0 };
const [BAD, GOOD] = [0.5, 0.01];

type Figures = number | null | { views: number; value: number };

/** The events of consecutive buckets; "." = none. */
function eventsOf(buckets: Figures[], more: Partial<typeof rule> = {}): string[] {
  let state = NEW;
  return buckets.map((given, index) => {
    const figures = typeof given === "object" && given !== null ? given : { views: 10, value: given };
    const decision = decide({ ...rule, ...more }, state, { ...figures, endMs: (index + 1) * BUCKET_MS });
    state = decision.state;
    return decision.event ?? ".";
  });
}

describe("an alert", () => {
  test("is triggered once, however long its metric stays bad", () => {
    expect(eventsOf([GOOD, BAD, BAD, BAD])).toEqual([".", "triggered", ".", "."]);
  });

  test("recovers after the number of consecutive good buckets that the rule requires", () => {
    expect(eventsOf([BAD, GOOD, BAD, GOOD, GOOD, GOOD])).toEqual(["triggered", ".", ".", ".", "recovered", "."]);
    expect(eventsOf([BAD, GOOD], { recoveryBucketCount: 1 })).toEqual(["triggered", "recovered"]);
  });

  test("is triggered again after it has recovered", () => {
    expect(eventsOf([BAD, GOOD, GOOD, BAD])).toEqual(["triggered", ".", "recovered", "triggered"]);
  });

  test("is not triggered again during its cooldown, which begins with the trigger", () => {
    const buckets = [BAD, GOOD, BAD, BAD, BAD];
    const cooled = (cooldownMinutes: number) => eventsOf(buckets, { cooldownMinutes, recoveryBucketCount: 1 });
    expect(cooled(10)).toEqual(["triggered", "recovered", "triggered", ".", "."]);
    expect(cooled(11)).toEqual(["triggered", "recovered", ".", "triggered", "."]);
    expect(cooled(20)).toEqual(["triggered", "recovered", ".", ".", "triggered"]);
  });

  test("neither triggers nor recovers with too few views", () => {
    const few = (value: number) => ({ views: 9, value });
    expect(eventsOf([few(BAD), BAD, GOOD, few(GOOD), few(BAD), GOOD])).toEqual([
      ".",
      "triggered",
      ".",
      ".",
      ".",
      "recovered",
    ]);
  });

  test("treats a bucket without a value as one with too few views", () => {
    expect(eventsOf([null, BAD, GOOD, null, GOOD])).toEqual([".", "triggered", ".", ".", "recovered"]);
  });

  test.each([
    [">", 0.1, "."],
    [">=", 0.1, "triggered"],
    [">", 0.1001, "triggered"],
    [">=", 0.0999, "."],
  ] as const)("with the operator %s and a value of %d", (operator, value, event) => {
    expect(eventsOf([value], { operator })).toEqual([event]);
  });
});

test("a bucket is evaluated two minutes after its end, and buckets have no gaps between them", () => {
  const end = 1000 * BUCKET_MS;
  expect(lastBucketEndMs(end + 119_999)).toBe(end - BUCKET_MS);
  expect(lastBucketEndMs(end + 120_000)).toBe(end);
});
