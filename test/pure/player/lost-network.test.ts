import { describe, expect, test } from "vitest";
import { LostNetwork } from "../../../player/lost-network.ts";

/** Fails once a second. @returns the second at which playback ends, null = it has not after two minutes */
function endsAfter(isStarvedAt: (second: number) => boolean, status?: number, succeedsAt?: number): number | null {
  const network = new LostNetwork();
  for (let second = 0; second <= 120; second += 1) {
    if (second === succeedsAt) network.succeeded();
    if (network.failed({ nowMs: second * 1000, isStarved: isStarvedAt(second), status })) return second;
  }
  return null;
}

describe("failed loads end playback", () => {
  test("half a minute after nothing is left to play, however many have failed before", () => {
    expect(endsAfter((second) => second >= 50)).toBe(80);
  });

  test("never as long as something is left to play, or there is no connection", () => {
    expect(endsAfter(() => false)).toBeNull();
    expect(endsAfter(() => false, 404)).toBeNull();
  });

  test("later when one succeeds meanwhile", () => {
    expect(endsAfter(() => true, undefined, 20)).toBe(50);
  });

  test("soon after the last picture when the server refuses", () => {
    for (const status of [401, 403, 404, 410]) expect(endsAfter((second) => second >= 10, status)).toBe(13);
  });

  test("not sooner when the server is busy or fails", () => {
    for (const status of [0, 408, 425, 429, 500, 503]) expect(endsAfter(() => true, status)).toBe(30);
  });
});
