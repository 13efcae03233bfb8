/** Wrong credentials cost a look-up each, so a network may try a few of them (decision 0136). */
import { env } from "cloudflare:test";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { newWorkspace, send, type TestWorkspace } from "../workspace.ts";

let tests = 0;
/** Each test has a network of its own. */
let network: string;
let headers: { "cf-connecting-ip": string };

let workspace: TestWorkspace;
beforeEach(async () => {
  network = `2001:db8:${(0x4100 + (tests += 1)).toString(16)}`;
  headers = { "cf-connecting-ip": `${network}::1` };
  workspace = await newWorkspace();
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

const guess = (id: string = crypto.randomUUID(), secret = "wrong", path = "/v1/on-demand") =>
  send(
    new Request(`http://sluice.test${path}`, {
      headers: { ...headers, authorization: `Basic ${btoa(`${id}:${secret}`)}` },
    }),
  );
const asOwner = (owner: TestWorkspace) => owner.request("GET", "/v1/on-demand", undefined, headers);
/** One guess reaches the limit of the network. */
async function closeNetwork() {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
  vi.spyOn(env.UNKNOWN_IDS, "limit").mockResolvedValue({ success: false });
  expect((await guess()).status).toBe(401);
}

test("beyond the limit of its network wrong credentials are refused before the database is asked", async () => {
  await closeNetwork();
  const prepare = vi.spyOn(env.DB, "prepare");
  for (const path of ["/v1/on-demand", "/healthz", "/v1/live/streams"]) {
    const refused = await guess(crypto.randomUUID(), "wrong", path);
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "60"]);
    expect(await refused.json()).toMatchObject({ success: false, error: { code: 429 } });
  }
  expect(prepare).not.toHaveBeenCalled();
});

test("credentials that were verified of late are served to a closed network, others again after a minute", async () => {
  const other = await newWorkspace();
  await closeNetwork();
  expect((await asOwner(workspace)).status).toBe(429); // not seen by this isolate
  vi.setSystemTime(Date.now() + 60_000);
  expect((await asOwner(workspace)).status).toBe(200);
  expect((await guess()).status).toBe(401); // closes the network again
  expect((await asOwner(workspace)).status).toBe(200);
  expect((await asOwner(other)).status).toBe(429);
  const elsewhere = { "cf-connecting-ip": "2001:db8:42::1" };
  expect((await other.request("GET", "/v1/on-demand", undefined, elsewhere)).status).toBe(200);
});

test("revoked credentials are no longer served to a closed network", async () => {
  await closeNetwork();
  vi.setSystemTime(Date.now() + 60_000);
  expect((await asOwner(workspace)).status).toBe(200);
  await env.DB.prepare("UPDATE credentials SET revoked_at = 1 WHERE workspace_id = ?").bind(workspace.id).run();
  vi.setSystemTime(Date.now() + 5000);
  expect((await asOwner(workspace)).status).toBe(401);
  expect((await asOwner(workspace)).status).toBe(429);
});

test("a network's guesses at credentials count apart from its playback IDs, once a minute each and without the secret", async () => {
  const limiter = vi.spyOn(env.UNKNOWN_IDS, "limit");
  const prepare = vi.spyOn(env.DB, "prepare");
  const id = crypto.randomUUID();
  for (let n = 0; n < 5; n += 1) expect((await guess(id, "a secret")).status).toBe(401);
  expect(limiter.mock.calls).toEqual([[{ key: `login ${network}` }]]);
  expect(prepare).toHaveBeenCalledTimes(1);
  expect((await guess("x".repeat(65), "a secret")).status).toBe(401);
  expect([limiter.mock.calls.length, prepare.mock.calls.length]).toEqual([1, 1]); // longer than every id, so it is not looked up
});
