import { describe, expect, test } from "vitest";
import { contains, decideReload, readDirectives, wantedPlace } from "../../../../src/media/live/reload.ts";
import { session, TIMING } from "./session.ts";

describe("delivery directives", () => {
  const read = (query: string) => readDirectives(new URLSearchParams(query));

  test.each([
    ["", { waitFor: null, skip: null }],
    ["_HLS_msn=12", { waitFor: { msn: 11, part: null }, skip: null }],
    ["_HLS_msn=12&_HLS_part=3&_HLS_skip=YES", { waitFor: { msn: 11, part: 3 }, skip: "YES" }],
    ["_HLS_skip=v2", { waitFor: null, skip: "v2" }],
    ["_HLS_skip=perhaps&token=x", { waitFor: null, skip: null }],
  ])("%s is parsed", (query, expected) => {
    expect(read(query)).toEqual(expected);
  });

  test.each([
    "_HLS_part=1",
    "_HLS_msn=-1",
    "_HLS_msn=1.5",
    "_HLS_msn=",
    "_HLS_msn=1e9",
    "_HLS_msn=1&_HLS_part=x",
    `_HLS_msn=1${"0".repeat(18)}`,
  ])("%s is refused", (query) => {
    expect(read(query)).toHaveProperty("problem");
  });
});

describe("a reload of a playlist that ends with part 1 of segment 10", () => {
  const rendition = session(10, 2);
  const decide = (msn: number, part: number | null) => decideReload(rendition, TIMING, { msn, part });
  const refused = { problem: expect.any(String) as string };

  test.each([
    ["a part that is there", 10, 1, "answer"],
    ["the next part", 10, 2, "wait"],
    ["a part of the past", 3, 2, "answer"],
    ["a part behind the last one of a whole segment, which is the next segment's first", 9, 4, "answer"],
    ["a whole segment that is there", 9, null, "answer"],
    ["the segment that is being made", 10, null, "wait"],
    ["the segment after it", 11, null, "wait"],
    ["two segments ahead", 12, null, "wait"],
  ] as const)("%s", (_, msn, part, expected) => {
    expect(decide(msn, part)).toBe(expected);
  });

  test("is refused more than two segments, or more than three seconds of parts, ahead", () => {
    expect(decide(13, null)).toEqual(refused);
    expect(decide(10 ** 12, 0)).toEqual(refused);
    expect(decide(10, 8)).toBe("wait"); // six parts of 0.5 s ahead
    expect(decide(10, 9)).toEqual(refused);
  });

  test("is answered at once after the end", () => {
    const ended = session(10, 0, { hasEnded: true });
    expect(decideReload(ended, TIMING, { msn: 900, part: 3 })).toBe("answer");
  });

  test("before the first part waits for it", () => {
    expect(decideReload(session(0), TIMING, { msn: 0, part: 0 })).toBe("wait");
    expect(contains(session(0), { msn: 0, part: 0 })).toBe(false);
  });
});

test("a request that names nothing waits for the first whole segment, whatever parts there are", () => {
  expect(wantedPlace(session(0, 3), TIMING, null)).toEqual({ msn: 0, part: null });
  expect(wantedPlace(session(1, 3), TIMING, null)).toBeNull();
  expect(wantedPlace(session(0, 3), TIMING, { msn: 0, part: 2 })).toEqual({ msn: 0, part: 2 });
  expect(wantedPlace(session(1), { ...TIMING, partTargetMs: null }, { msn: 1, part: 2 })).toEqual({
    msn: 1,
    part: null,
  });
});
