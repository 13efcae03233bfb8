import { expect, test } from "vitest";
import type { SettledAttempt } from "../../../../src/events/webhooks/sender/settled-attempt.ts";
import { fitting } from "../../../../src/events/webhooks/sender/recorder.ts";

const MOST_OF_D1_BYTES = 2_000_000;

const outcome = (responseHead: string, index: number): SettledAttempt => ({
  eventId: crypto.randomUUID(),
  eventType: "video.media.live_stream.created",
  number: index,
  startedAtMs: 1_795_175_070_123,
  durationMs: 15_000,
  status: 500,
  failure: "too_many_requests",
  detail: "x".repeat(500),
  responseHead,
  next: "pending",
  schedule: 0,
  tries: 13,
  firstTriedAtMs: 1_795_175_070_123,
  nextAttemptAtMs: 1_795_175_070_123,
  endedAtMs: 1_795_175_070_123,
  exhaustedEventId: crypto.randomUUID(),
});

test.each([
  ["control characters", "\u0001"],
  ["replaced bytes", "\uFFFD"],
  ["quotes", '"'],
  ["letters", "x"],
  ["nothing", ""],
])(
  "outcomes with responses full of %s are split so that each part fits into one parameter of D1, and none is lost",
  (_, character) => {
    let rest = Array.from({ length: 700 }, (__, index) => outcome(character.repeat(4096), index));
    const recorded: number[] = [];
    while (rest.length > 0) {
      const settled = fitting(rest);
      expect(new TextEncoder().encode(JSON.stringify(settled)).byteLength).toBeLessThan(MOST_OF_D1_BYTES);
      recorded.push(...settled.map(({ number }) => number));
      rest = rest.slice(settled.length);
    }
    expect(recorded).toEqual(Array.from({ length: 700 }, (__, index) => index));
  },
);
