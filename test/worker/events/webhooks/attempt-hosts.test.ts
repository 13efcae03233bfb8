import { describe, expect, test } from "vitest";
import type { NetworkEnv } from "../../../../src/platform/network/index.ts";
import { attemptDelivery } from "../../../../src/events/webhooks/attempt/attempt-delivery.ts";
import { receivers } from "./receivers.ts";

const body = new TextEncoder().encode("{}");

const fetcher = (answer: (request: Request) => Promise<Response>): Fetcher => ({
  fetch: (input: RequestInfo | URL, init?: RequestInit) => answer(new Request(input, init)),
  connect: () => {
    throw new Error("nobody opens raw sockets here");
  },
});

/** A network in which every name resolves to the test's receiver; `names` may change between attempts. */
function internet(names: Record<string, string[]>): { env: NetworkEnv; asked: string[]; connected: string[] } {
  const asked: string[] = [];
  const connected: string[] = [];
  const RESOLVER = fetcher(async (request) => {
    const name = new URL(request.url).pathname.slice(1);
    asked.push(name);
    if (name === "troubled.example") return new Response(null, { status: 503 });
    const addresses = names[name];
    return addresses === undefined ? new Response(null, { status: 404 }) : Response.json({ addresses });
  });
  const SOURCE_NETWORK = fetcher(async (request) => {
    const url = new URL(request.url);
    connected.push(url.hostname);
    return fetch(`${receivers().plain}${url.pathname}`, { method: request.method, body: await request.text() });
  });
  return { env: { ALLOW_PRIVATE_NETWORK: "", RESOLVER, SOURCE_NETWORK }, asked, connected };
}

const PUBLIC = ["93.184.216.34"];
const send = (env: NetworkEnv, url: string) => attemptDelivery(env, { url, body, headers: {} });

test("an attempt is made to a name with public addresses", async () => {
  const { env, connected } = internet({ "hooks.example": PUBLIC });
  expect(await send(env, "https://hooks.example/status/200")).toMatchObject({ status: 200, failure: null });
  expect(connected).toEqual(["hooks.example"]);
});

describe("no connection is made", () => {
  test.each([
    ["https://private.example/", "forbidden_address"],
    ["https://mixed.example/", "forbidden_address"],
    ["https://mapped.example/", "forbidden_address"],
    ["https://127.0.0.1/", "forbidden_address"],
    ["https://2130706433/", "forbidden_address"],
    ["https://[::1]/", "forbidden_address"],
    ["https://localhost:8443/", "forbidden_address"],
    ["https://metadata.google.internal/", "forbidden_address"],
    ["http://hooks.example/", "forbidden_address"],
    ["https://hooks.example:22/", "forbidden_address"],
    ["https://user:pw@hooks.example/", "forbidden_address"],
    ["not a URL", "forbidden_address"],
    ["https://empty.example/", "unresolvable"],
    ["https://unknown.example/", "unresolvable"],
    ["https://troubled.example/", "unresolvable"],
  ])("to %s: %s", async (url, failure) => {
    const { env, connected } = internet({
      "hooks.example": PUBLIC,
      "private.example": ["10.0.0.7"],
      "mixed.example": [...PUBLIC, "192.168.1.1"],
      "mapped.example": ["::ffff:127.0.0.1"],
      "empty.example": [],
    });
    expect(await send(env, url)).toMatchObject({ status: null, failure, responseHead: "" });
    expect(connected).toEqual([]);
  });
});

test("a failed name resolution is distinguished from a name without an address", async () => {
  const { env } = internet({});
  expect((await send(env, "https://troubled.example/")).detail).toBe("the name could not be looked up");
  expect((await send(env, "https://unknown.example/")).detail).toBeNull();
});

test("a name is resolved for every attempt, so one that becomes private is refused at the next", async () => {
  const names = { "hooks.example": PUBLIC };
  const { env, asked, connected } = internet(names);
  expect((await send(env, "https://hooks.example/status/200")).failure).toBeNull();
  names["hooks.example"] = ["169.254.169.254"];
  expect((await send(env, "https://hooks.example/status/200")).failure).toBe("forbidden_address");
  expect(asked).toEqual(["hooks.example", "hooks.example"]);
  expect(connected).toEqual(["hooks.example"]);
});

test("a resolver that never responds delays an attempt no longer than the limit", async () => {
  const RESOLVER = fetcher(
    ({ signal }) => new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error))),
  );
  const outcome = await attemptDelivery(
    { ALLOW_PRIVATE_NETWORK: "", RESOLVER },
    { url: "https://hooks.example/", body, headers: {}, limits: { resolveMs: 200 } },
  );
  expect(outcome).toMatchObject({ status: null, failure: "unresolvable", detail: "no address within 200 ms" });
  expect(outcome.durationMs).toBeLessThan(2000);
});

test("an unknown network error is a failed connection", async () => {
  const SOURCE_NETWORK = fetcher(() => Promise.reject(new Error("what is this")));
  const RESOLVER = fetcher(async () => Response.json({ addresses: PUBLIC }));
  const env: NetworkEnv = { ALLOW_PRIVATE_NETWORK: "", RESOLVER, SOURCE_NETWORK };
  expect(await send(env, "https://hooks.example/")).toMatchObject({ status: null, failure: "connection_failed" });
});
