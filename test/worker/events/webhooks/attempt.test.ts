import { describe, expect, test, vi } from "vitest";
import type { NetworkEnv } from "../../../../src/platform/network/index.ts";
import type { AttemptLimits } from "../../../../src/events/webhooks/attempt/attempt.ts";
import { attemptDelivery } from "../../../../src/events/webhooks/attempt/attempt-delivery.ts";
import { verifyEndpoint } from "../../../../src/events/webhooks/attempt/verify-endpoint.ts";
import { receivers, seenAt } from "./receivers.ts";

const env: NetworkEnv = { ALLOW_PRIVATE_NETWORK: "true" };
/** For receivers that never finish. The others get the product's limits, because a busy machine is slow too. */
const shortLimits = { headersMs: 250, totalMs: 500 } satisfies Partial<AttemptLimits>;
const body = new TextEncoder().encode('{"type":"asset.ready","title":"Grüße"}');

const attempt = (path: string, limits?: Partial<AttemptLimits>) =>
  attemptDelivery(env, {
    url: `${receivers().plain}${path}`,
    body,
    headers: { "webhook-id": "e1", "service-signature": "s1" },
    ...(limits && { limits }),
  });

describe("a delivery", () => {
  test.each([200, 201, 202, 204, 299])("succeeds when the status is %d", async (status) => {
    expect(await attempt(`/status/${status}`)).toMatchObject({ status, failure: null, detail: null });
  });

  test("is a POST of the given bytes as JSON, with the signatures and a user agent", async () => {
    await attempt("/status/200?of=request");
    const [request, ...more] = await seenAt("/status/200?of=request");
    expect(more).toEqual([]);
    expect(request?.method).toBe("POST");
    expect(Uint8Array.from(atob(request?.bodyBase64 ?? ""), (char) => char.charCodeAt(0))).toEqual(body);
    expect(request?.headers).toMatchObject({
      "content-type": "application/json",
      "content-length": String(body.byteLength),
      "user-agent": "Sluice/1 (webhooks)",
      "webhook-id": "e1",
      "service-signature": "s1",
    });
  });

  test("keeps the response and its duration", async () => {
    const outcome = await attempt("/status/200?body=thank%20you");
    expect(outcome.responseHead).toBe("thank you");
    expect(outcome.durationMs).toBeLessThan(500);
  });

  test("keeps the first 4 KB of a longer response, without a partial character at the end", async () => {
    const { responseHead, failure } = await attempt("/status/200?pad=4095&body=%C3%A9%20and%20more");
    expect(failure).toBeNull();
    expect(responseHead).toBe("x".repeat(4095));
  });

  test("keeps a response that is not text as text", async () => {
    expect((await attempt("/latin")).responseHead).toBe("a\uFFFDb\uFFFDéc");
  });

  test("succeeds with a response of exactly 64 KB, and not with a byte more", async () => {
    expect(await attempt("/bytes/65536")).toMatchObject({ status: 200, failure: null });
    expect(await attempt("/bytes/65537")).toMatchObject({ status: 200, failure: "answer_too_long" });
  });
});

describe("a misbehaving receiver is a failure with its reason", () => {
  const cases: [string, number | null, string][] = [
    ["/status/404", 404, "bad_status"],
    ["/status/500", 500, "bad_status"],
    ["/status/103", null, "connection_failed"], // an interim response without a final one
    ["/status/304", 304, "bad_status"],
    ["/status/101", 101, "bad_status"],
    ["/status/410", 410, "gone"],
    ["/status/429", 429, "too_many_requests"],
    ["/status/522", 522, "timed_out"],
    ["/status/526", 526, "tls_failed"],
    ["/status/530", 530, "unresolvable"],
    ["/status/302", 302, "redirected"],
    ["/silence", null, "timed_out"],
    ["/endless-headers", null, "timed_out"],
    ["/header-torrent", null, "connection_failed"],
    ["/endless-body", 200, "timed_out"],
    ["/silent-body", 200, "timed_out"],
    ["/torrent", 200, "answer_too_long"],
    ["/torrent-of-length-0", 200, "answer_too_long"],
    ["/bytes/1000000000", 200, "answer_too_long"],
    ["/torrent-404", 404, "bad_status"],
    ["/hang-up", null, "connection_failed"],
    ["/reset", null, "connection_failed"],
    ["/reset-midway", 200, "answer_broken_off"],
    ["/short", 200, "answer_broken_off"],
    ["/chunks-cut-off", 200, "answer_broken_off"],
    ["/false-gzip", 200, "answer_broken_off"],
    ["/garbage", null, "connection_failed"],
    ["/binary-garbage", null, "connection_failed"],
  ];
  test.each(cases)("%s", async (path, status, failure) => {
    const outcome = await attempt(`${path}?of=misbehaves`, failure === "timed_out" ? shortLimits : undefined);
    expect(outcome).toMatchObject({ status, failure });
    expect(outcome.durationMs).toBeLessThan(2000);
  });

  test("the part of a response that arrived before it broke is kept", async () => {
    expect(await attempt("/short?of=kept")).toMatchObject({ responseHead: "hello" });
    const cutOff = await attempt("/endless-body?of=kept", shortLimits);
    expect(cutOff).toMatchObject({ responseHead: expect.stringMatching(/^hello\.+$/) });
    expect((await attempt("/torrent-404?of=kept")).responseHead).toBe("x".repeat(4096));
  });

  test("nothing listens", async () => {
    const outcome = await attemptDelivery(env, { url: `${receivers().nobody}/`, body, headers: {} });
    expect(outcome).toMatchObject({ status: null, failure: "connection_failed", responseHead: "" });
  });

  test("an untrusted certificate", async () => {
    const url = `${receivers().tls}/status/200`;
    expect(await attemptDelivery(env, { url, body, headers: {} })).toMatchObject({ failure: "tls_failed" });
  });

  test("a port without TLS", async () => {
    const url = `${receivers().plain.replace("http:", "https:")}/status/200`;
    const { failure } = await attemptDelivery(env, { url, body, headers: {}, limits: shortLimits });
    expect(["tls_failed", "timed_out"]).toContain(failure); // depends on whether the runtime waits for the end of a line
  });
});

describe("details", () => {
  test("have the status", async () => {
    expect((await attempt("/status/404?of=detail")).detail).toBe("answered 404");
  });

  test("have the target of a redirect, which is not followed", async () => {
    const target = `${receivers().plain}/status/200?of=redirect-target`;
    const path = `/status/307?header=${encodeURIComponent(`location: ${target}`)}`;
    expect((await attempt(path)).detail).toBe(`answered 307, pointing to ${target}`);
    expect(await seenAt("/status/200?of=redirect-target")).toEqual([]);
  });

  test("of a redirect to a private address are those of any redirect", async () => {
    const path = `/status/302?header=${encodeURIComponent("location: http://169.254.169.254/latest/")}`;
    expect(await attempt(path)).toMatchObject({
      failure: "redirected",
      detail: "answered 302, pointing to http://169.254.169.254/latest/",
    });
  });

  test("of an endless location are cut", async () => {
    const path = `/status/302?header=${encodeURIComponent(`location: /${"a".repeat(1500)}`)}`;
    expect((await attempt(path)).detail).toHaveLength(500);
  });

  test("say that a body does not match its content-encoding", async () => {
    const { detail } = await attempt("/false-gzip?of=detail");
    expect(detail).toBe("the body is not what its content-encoding says");
  });

  test("name the limit that was exceeded", async () => {
    expect((await attempt("/silence?of=limits", shortLimits)).detail).toBe("no response within 250 ms");
    expect((await attempt("/endless-body?of=limits", shortLimits)).detail).toBe("no complete response within 500 ms");
  });
});

describe("Retry-After", () => {
  const header = (value: string) => `header=${encodeURIComponent(`retry-after: ${value}`)}`;

  test("in seconds is passed on in milliseconds, with 429 and 503", async () => {
    expect((await attempt(`/status/429?${header("120")}`)).retryAfterMs).toBe(120_000);
    expect((await attempt(`/status/503?${header("7")}`)).retryAfterMs).toBe(7000);
  });

  test("as a date is passed on as the time until then", async () => {
    const inAnHour = new Date(Date.now() + 3_600_000).toUTCString();
    const { retryAfterMs } = await attempt(`/status/429?${header(inAnHour)}`);
    expect(retryAfterMs).toBeGreaterThan(3_590_000);
    expect(retryAfterMs).toBeLessThanOrEqual(3_600_000);
  });

  test("is ignored when it is malformed, or with another status", async () => {
    expect((await attempt(`/status/429?${header("soon")}`)).retryAfterMs).toBeNull();
    expect((await attempt(`/status/404?${header("7")}`)).retryAfterMs).toBeNull();
    expect((await attempt(`/status/200?${header("7")}`)).retryAfterMs).toBeNull();
  });
});

describe("the connection", () => {
  test.each([
    "/torrent",
    "/torrent-404",
    "/bytes/1000000000",
    "/endless-body",
    "/endless-headers",
    "/silence",
    "/upgrade",
  ])("to %s is closed after little of the response was read", async (behaviour) => {
    const path = `${behaviour}?of=connection`;
    await attempt(path, shortLimits);
    await vi.waitFor(async () => expect((await seenAt(path))[0]?.isClosed).toBe(true), 5000);
    // The socket buffers of both sides add to what was read.
    expect((await seenAt(path))[0]?.sentBytes).toBeLessThan(16_000_000);
  });

  test("is not reused for a second POST", async () => {
    await attempt("/hang-up?of=once");
    expect(await seenAt("/hang-up?of=once")).toHaveLength(1);
  });
});

test("forty receivers that hang or send endless bodies at once take no longer than one, and do not delay a healthy one", async () => {
  const began = Date.now();
  const paths = Array.from({ length: 40 }, (_, index) => ["/silence", "/torrent", "/endless-body"][index % 3]!);
  const bad = Promise.all(paths.map((path) => attempt(`${path}?of=crowd`, shortLimits)));
  expect((await attempt("/status/200?of=crowd")).failure).toBeNull();
  const reasons = new Set((await bad).map(({ failure }) => failure));
  expect(reasons).toEqual(new Set(["answer_too_long", "timed_out"]));
  expect(Date.now() - began).toBeLessThan(4 * shortLimits.totalMs);
});

describe("verification", () => {
  test("POSTs an unsigned {}", async () => {
    const url = `${receivers().plain}/status/204?of=verification`;
    expect(await verifyEndpoint(env, url)).toMatchObject({ status: 204, failure: null });
    const [request] = await seenAt("/status/204?of=verification");
    expect(atob(request?.bodyBase64 ?? "")).toBe("{}");
    expect(request?.headers).toMatchObject({ "content-type": "application/json" });
    expect(Object.keys(request?.headers ?? {}).filter((name) => /signature|webhook-/.test(name))).toEqual([]);
  });

  test("reports the outcome", async () => {
    const url = `${receivers().plain}/status/401?body=who%20are%20you`;
    expect(await verifyEndpoint(env, url)).toMatchObject({
      failure: "bad_status",
      detail: "answered 401",
      responseHead: "who are you",
    });
  });

  test("has its own limits", async () => {
    const url = `${receivers().plain}/silence?of=verification`;
    expect(await verifyEndpoint(env, url, { totalMs: 200 })).toMatchObject({ failure: "timed_out" });
  });
});
