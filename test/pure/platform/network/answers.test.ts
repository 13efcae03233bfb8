import { describe, expect, test } from "vitest";
import { connectionFailureOf, connectionFailureOfStatus } from "../../../../src/platform/network/connection-failure.ts";
import { parseRetryAfterMs } from "../../../../src/platform/network/retry-after.ts";

const now = new Date("2026-11-20T12:00:00Z");

describe("Retry-After", () => {
  test.each([
    ["0", 0],
    ["7", 7000],
    [" 120 ", 120_000],
    ["Fri, 20 Nov 2026 12:00:30 GMT", 30_000],
    ["Fri, 20 Nov 2026 11:00:00 GMT", 0],
    ["soon", null],
    ["-5", null],
    ["", null],
    [null, null],
  ])("%j is %j ms", (value, milliseconds) => {
    expect(parseRetryAfterMs(value, now)).toBe(milliseconds);
  });
});

describe("a response of Cloudflare's network instead of the server", () => {
  test.each([
    [521, "connection_failed"],
    [522, "timed_out"],
    [523, "connection_failed"],
    [524, "timed_out"],
    [525, "tls_failed"],
    [526, "tls_failed"],
    [530, "unresolvable"],
    [500, null],
    [503, null],
    [520, null],
    [200, null],
  ])("%d: %s", (status, failure) => {
    expect(connectionFailureOfStatus(status)).toBe(failure);
  });
});

test("an internal error of the runtime is a failed handshake only with https", () => {
  const internal = new Error("internal error; reference = 0123456789");
  expect(connectionFailureOf(internal, new URL("https://a.example/"))).toBe("tls_failed");
  expect(connectionFailureOf(internal, new URL("http://a.example/"))).toBe("connection_failed");
  expect(connectionFailureOf(new Error("Network connection lost."), new URL("https://a.example/"))).toBe(
    "connection_failed",
  );
});
