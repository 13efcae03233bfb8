import { describe, expect, test } from "vitest";
import { judge, MANY_FAILURES, MAX_ATTEMPTS } from "../../../../src/imports/batch-machine/judge.ts";
import { type ItemErrorCode, SourceFailure } from "../../../../src/imports/sources/source.ts";
import { Problem } from "../../../../src/platform/http/problems.ts";

const failure = (code: ItemErrorCode, retryAfterMs: number | null = null) =>
  new SourceFailure(code, "Words.", { retryAfterMs });
const at = (attempts: number, failuresInRow = 1) => ({ attempts, failuresInRow });

test.each([
  ["refused credentials", failure("credentials_invalid")],
  ["a pause that the source asks for", failure("source_rate_limited", 3600_000)],
  ["a workspace that is full", new Problem("media_limit_reached", "a workspace has at most 7 media")],
  ["a workspace that stores too much", new Problem("storage_limit_reached", "a workspace stores at most 7 bytes")],
])("%s concerns every item, whatever the attempts", (_, error) => {
  for (const attempts of [0, MAX_ATTEMPTS - 1, 99]) expect(judge(error, at(attempts))).toEqual({ kind: "batch" });
});

test.each<[ItemErrorCode, boolean]>([
  ["no_file", false],
  ["video_gone", false],
  ["drm_protected", false],
  ["archived", false],
  ["permission_missing", true],
])("%s fails the item at once, with the source's words", (code, suspectsSource) => {
  const error = { code, message: "Words." };
  expect(judge(failure(code), at(0))).toEqual({ kind: "fail", error, suspectsSource });
});

describe("a failure that may pass", () => {
  test("waits longer from attempt to attempt, and as long as the source asks", () => {
    const waits = Array.from({ length: MAX_ATTEMPTS - 1 }, (_, attempts) =>
      judge(failure("source_unavailable", 1000), at(attempts)),
    );
    expect(waits.map((verdict) => verdict.kind === "again" && verdict.waitMs)).toEqual([5000, 10_000, 20_000, 40_000]);
    expect(judge(failure("source_unavailable", 60_000), at(0))).toMatchObject({ kind: "again", waitMs: 60_000 });
  });

  test("ends the item at its last attempt, if the source is well", () => {
    expect(judge(failure("source_unreadable", 1000), at(MAX_ATTEMPTS - 1))).toMatchObject({
      kind: "fail",
      error: { code: "source_unreadable" },
      suspectsSource: true,
    });
  });

  test("makes the source suspect after several in a row", () => {
    const suspects = (row: number) => judge(failure("source_unavailable", 1000), at(0, row));
    expect(suspects(MANY_FAILURES)).toMatchObject({ kind: "again", suspectsSource: false });
    expect(suspects(MANY_FAILURES + 1)).toMatchObject({ kind: "again", suspectsSource: true });
  });
});

test("a failure of our own is tried again, is never blamed on the source, and its words stay inside", () => {
  for (const error of [new Error("secret words"), new Problem("unavailable", "secret words")]) {
    const first = judge(error, at(0, 99));
    const last = judge(error, at(MAX_ATTEMPTS - 1, 99));
    expect([first, last]).toMatchObject([
      { kind: "again", error: { code: "internal" }, suspectsSource: false },
      { kind: "fail", error: { code: "internal" }, suspectsSource: false },
    ]);
    expect(JSON.stringify([first, last])).not.toContain("secret");
  }
});

test("a media that the API refuses fails the item with its fields", () => {
  const fields = [{ field: "inputs[0].url", message: "is private" }];
  expect(judge(new Problem("validation_failed", "validation failed", { fields }), at(0))).toEqual({
    kind: "fail",
    error: { code: "not_accepted", message: "The API refused the media. inputs[0].url is private" },
    suspectsSource: false,
  });
});
