import { beforeAll, describe, expect, test } from "vitest";
import { createHostGuard, resolveHost } from "../../../../src/platform/network/index.ts";
import { SOURCE_LIMITS, type SourceEnv } from "../../../../src/library/sources/limits.ts";
import { fetchSource } from "../../../../src/library/sources/safe-fetch.ts";
import { openSourceServer, type RemoteServer } from "./source-servers.ts";

let server: RemoteServer;
beforeAll(async () => {
  server = await openSourceServer();
  await server.add("/film", { kind: "content", text: "the film" });
});

const NAMES: Record<string, string[]> = {
  "public.example": ["93.184.216.34", "2606:2800:220:1::1"],
  "private.example": ["10.0.0.7"],
  "mixed.example": ["93.184.216.34", "10.0.0.7"],
  "loopback6.example": ["::1"],
  "metadata.example": ["169.254.169.254"],
  "mapped.example": ["::ffff:127.0.0.1"],
  "empty.example": [],
};

const fetcher = (answer: (request: Request) => Promise<Response>): Fetcher => ({
  fetch: (input: RequestInfo | URL, init?: RequestInit) => answer(new Request(input, init)),
  connect: () => {
    throw new Error("nobody opens raw sockets here");
  },
});

/** A network in which every name resolves to the test's server. Refusals must come before any connection. */
function internet(): { env: SourceEnv; asked: string[]; connected: string[] } {
  const asked: string[] = [];
  const connected: string[] = [];
  const RESOLVER = fetcher(async (request) => {
    const name = new URL(request.url).pathname.slice(1);
    asked.push(name);
    const addresses = NAMES[name];
    return addresses === undefined ? new Response(null, { status: 404 }) : Response.json({ addresses });
  });
  const SOURCE_NETWORK = fetcher(async (request) => {
    const url = new URL(request.url);
    connected.push(url.hostname);
    return fetch(new Request(`${server.origin}${url.pathname}`, request));
  });
  return { env: { ALLOW_PRIVATE_NETWORK: "", MAX_SOURCE_BYTES: "1000", RESOLVER, SOURCE_NETWORK }, asked, connected };
}

test("a name with public addresses is fetched", async () => {
  const answer = await fetchSource(internet().env, "http://public.example/film");
  expect(new TextDecoder().decode((await answer.body.read()) ?? undefined)).toBe("the film");
});

describe("no connection is made", () => {
  const refused: [string, string][] = [
    ["http://private.example/film", "source_forbidden"],
    ["http://mixed.example/film", "source_forbidden"],
    ["http://loopback6.example/film", "source_forbidden"],
    ["http://metadata.example/film", "source_forbidden"],
    ["http://mapped.example/film", "source_forbidden"],
    ["http://127.0.0.1/film", "source_forbidden"],
    ["http://2130706433/film", "source_forbidden"],
    ["http://[::1]/film", "source_forbidden"],
    ["http://localhost/film", "source_forbidden"],
    ["http://metadata.google.internal/film", "source_forbidden"],
    ["http://user:pw@public.example/film", "source_forbidden"],
    ["http://empty.example/film", "source_unresolvable"],
    ["http://unknown.example/film", "source_unresolvable"],
  ];
  test.each(refused)("to %s: %s", async (url, code) => {
    const { env, connected } = internet();
    await expect(fetchSource(env, url)).rejects.toMatchObject({ code });
    expect(connected).toEqual([]);
  });
});

describe("a redirect is checked like the URL it came from", () => {
  test.each([
    "http://127.0.0.1/film",
    "http://private.example/film",
    "http://169.254.169.254/latest/meta-data/",
    "//localhost/film",
    "http://[::ffff:10.0.0.1]/film",
    "https://metadata.example/film",
    "ftp://public.example/film",
  ])("to %s", async (location) => {
    const { env, connected } = internet();
    const path = `/to-${encodeURIComponent(location)}`;
    await server.add(path, { kind: "redirect", location });
    await expect(fetchSource(env, `http://public.example${path}`)).rejects.toMatchObject({ code: "source_forbidden" });
    expect(connected).toEqual(["public.example"]);
  });
});

test("a guard resolves a name once, and fetches without a guard resolve it each time", async () => {
  const { env, asked } = internet();
  const guard = createHostGuard(env, SOURCE_LIMITS);
  for (let i = 0; i < 3; i++) await (await fetchSource(env, "http://public.example/film", { guard })).body.cancel();
  expect(asked).toEqual(["public.example"]);
  await (await fetchSource(env, "http://public.example/film")).body.cancel();
  expect(asked).toHaveLength(2);
});

test("an allowed private network is fetched from, by address and by name", async () => {
  const allowed: SourceEnv = { ...internet().env, ALLOW_PRIVATE_NETWORK: "true" };
  for (const host of ["127.0.0.1", "private.example"]) {
    const answer = await fetchSource(allowed, `http://${host}/film`);
    expect(answer.status).toBe(200);
    await answer.body.cancel();
  }
});

describe("DNS over HTTPS", () => {
  const env: SourceEnv = { ALLOW_PRIVATE_NETWORK: "", MAX_SOURCE_BYTES: "1000" };
  const dnsServer = (name: string, answer: unknown): Promise<string> =>
    server.add(`/dns-${name}`, {
      kind: "status",
      status: 200,
      headers: { "content-type": "application/dns-json" },
      body: typeof answer === "string" ? answer : JSON.stringify(answer),
    });
  const resolve = async (name: string, answer: unknown): Promise<string[]> =>
    resolveHost(env, name, { ...SOURCE_LIMITS, dnsUrl: await dnsServer(name, answer) });

  test("returns every address, without the intermediate CNAMEs", async () => {
    const Answer = [
      { name: "a.example", type: 5, TTL: 60, data: "b.example." },
      { name: "b.example", type: 1, TTL: 60, data: "93.184.216.34" },
      { name: "b.example", type: 28, TTL: 60, data: "2606:2800:220:1::1" },
    ];
    expect(await resolve("a.example", { Status: 0, Answer })).toEqual(["93.184.216.34", "2606:2800:220:1::1"]);
    const queries = await server.requests("/dns-a.example");
    expect(queries.map((query) => query.headers["accept"])).toEqual(["application/dns-json", "application/dns-json"]);
  });

  test("returns no address for a name that does not exist or has none", async () => {
    expect(await resolve("none.example", { Status: 3 })).toEqual([]);
    expect(await resolve("mail.example", { Status: 0 })).toEqual([]);
  });

  test.each([
    ["SERVFAIL", { Status: 2 }],
    ["no JSON", "<html>"],
  ])("that fails by %s is source_unresolvable and worth another try", async (name, answer) => {
    const dnsUrl = await dnsServer(encodeURIComponent(name), answer);
    await expect(fetchSource(env, "http://public.example/film", { limits: { dnsUrl } })).rejects.toMatchObject({
      code: "source_unresolvable",
      retryable: true,
    });
  });
});
