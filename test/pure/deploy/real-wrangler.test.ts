/** wrangler itself prints its lists as `npm run deploy` reads them. Cloudflare's API is a server of this test. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { delimiter, resolve } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { listSecrets, requireAccount, takeInventory } from "../../../scripts/deploy/inventory.ts";
import { Wrangler } from "../../../scripts/deploy/wrangler.ts";

vi.setConfig({ testTimeout: 90_000 }); // each question starts wrangler

const ACCOUNT = "a".repeat(32);
const DATABASE_ID = "7f3c52a1-0000-4000-8000-000000000001";
const QUEUES = Array.from({ length: 23 }, (_, index) => `queue-${index}`);
const PAGE = 20;

/** Answers of Cloudflare's API, by path. */
const RESULTS: Record<string, (query: URLSearchParams) => unknown> = {
  "/user": () => ({ id: "u", email: "owner@example.com" }),
  "/user/tokens/verify": () => ({ id: "t", status: "active" }),
  "/accounts": () => [{ id: ACCOUNT, name: "Test" }],
  "/memberships": () => [{ id: "m", account: { id: ACCOUNT, name: "Test" } }],
  [`/accounts/${ACCOUNT}/d1/database`]: () => [
    { uuid: "7f3c52a1-0000-4000-8000-000000000002", name: "other", version: "production" },
    { uuid: DATABASE_ID, name: "sluice", version: "production" },
  ],
  [`/accounts/${ACCOUNT}/r2/buckets`]: () => ({
    buckets: ["sluice-media", "backups"].map((name) => ({ name, creation_date: "2026-11-22T10:00:00.000Z" })),
  }),
  [`/accounts/${ACCOUNT}/queues`]: (query) => {
    const from = (Number(query.get("page") ?? 1) - 1) * PAGE;
    return QUEUES.slice(from, from + PAGE).map((queue_name, index) => ({
      queue_id: String(from + index).padStart(32, "0"),
      queue_name,
      created_on: "2026-11-22T10:00:00Z",
      modified_on: "2026-11-22T10:00:00Z",
      producers_total_count: 1,
      consumers_total_count: 0,
    }));
  },
  [`/accounts/${ACCOUNT}/workers/scripts/sluice/secrets`]: () => [{ name: "JOB_SECRET", type: "secret_text" }],
};

const api = createServer((request, response) => {
  const url = new URL(request.url ?? "/", "http://api");
  const result = RESULTS[url.pathname]?.(url.searchParams);
  const body =
    result === undefined
      ? {
          success: false,
          errors: [{ code: 10007, message: "This Worker does not exist on your account." }],
          result: null,
        }
      : {
          success: true,
          errors: [],
          messages: [],
          result,
          result_info: { page: 1, per_page: 100, count: 1, total_count: 1 },
        };
  response.writeHead(result === undefined ? 404 : 200, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
});

beforeAll(async () => {
  await new Promise<void>((done) => api.listen(0, "127.0.0.1", done));
  vi.stubEnv("CLOUDFLARE_API_BASE_URL", `http://127.0.0.1:${(api.address() as AddressInfo).port}`);
  vi.stubEnv("CLOUDFLARE_API_TOKEN", "a token of the test");
  vi.stubEnv("NODE_COMPILE_CACHE", resolve("dist/compiled"));
  vi.stubEnv("PATH", `${resolve("node_modules/.bin")}${delimiter}${process.env["PATH"]}`);
});
afterAll(() => {
  vi.unstubAllEnvs();
  api.close();
});

test("accounts, databases, buckets, every page of queues, and secrets are found", async () => {
  const wrangler = new Wrangler(ACCOUNT);
  const names = { worker: "sluice", database: "sluice", buckets: [], queues: [] };
  const [inventory, absent] = await Promise.all([
    takeInventory(wrangler, names),
    listSecrets(wrangler, "absent"),
    requireAccount(wrangler, undefined),
  ]);
  expect(inventory).toEqual({
    databaseId: DATABASE_ID,
    buckets: new Set(["sluice-media", "backups"]),
    queues: new Set(QUEUES),
    secrets: new Set(["JOB_SECRET"]),
  });
  expect(absent).toBeNull();
});
