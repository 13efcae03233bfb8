import { expect, test } from "vitest";
import { judgeClaims, keyIdOf } from "../../../../src/tenancy/access/token.ts";

const NOW = 1_800_000_000; // s
const scope = {
  playbackId: crypto.randomUUID(),
  workspaceId: crypto.randomUUID(),
  keyId: crypto.randomUUID(),
  purpose: "media" as const,
};
const judged = (change: object, nowMs = NOW * 1000) =>
  judgeClaims({ aud: `media:${scope.playbackId}`, exp: NOW + 60, ...change }, scope, nowMs);

test("exp is exact: the second that it names is over", () => {
  expect(judged({ exp: NOW + 1 })).toEqual({ expiresAtMs: (NOW + 1) * 1000 });
  expect(judged({ exp: NOW + 1 }, NOW * 1000 + 999)).toEqual({ expiresAtMs: (NOW + 1) * 1000 });
  expect(judged({ exp: NOW + 1 }, NOW * 1000 + 1000)).toEqual({ refusal: "expired" });
});

test("nbf has a leeway of 30 s", () => {
  expect(judged({ nbf: NOW + 30 })).toEqual({ expiresAtMs: (NOW + 60) * 1000 });
  expect(judged({ nbf: NOW + 31 })).toEqual({ refusal: "early" });
  expect(judged({ nbf: "soon" })).toEqual({ refusal: "early" });
});

test.each([[NaN], [Infinity], ["1800000060"], [null], [{}], [-1]])("an exp of %s is refused", (exp) => {
  expect(judged({ exp })).toHaveProperty("refusal");
});

test.each([[["x"]], [[]], [{}], [null], [`media:${scope.playbackId.toUpperCase()}`], [` media:${scope.playbackId}`]])(
  "an aud of %j is refused",
  (aud) => expect(judged({ aud })).toEqual({ refusal: "audience" }),
);

test.each([["media"], ["a.b.c"], ["e30.e30."], ["bnVsbA.e30.x"], ["W10.e30.x"], [".."], ["\u0000"]])(
  "%j names no key",
  (token) => expect(keyIdOf(token)).toHaveProperty("refusal"),
);
