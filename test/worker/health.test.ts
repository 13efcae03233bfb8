/** Who may learn what from `GET /healthz`, and what asking costs. */
import { env } from "cloudflare:test";
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { beforeAll, beforeEach, expect, test, vi } from "vitest";
import type { Env } from "../../src/platform/env.ts";
import { createApp } from "../../src/app.ts";
import { HealthCache } from "../../src/health.ts";
import { newWorkspace, type TestWorkspace } from "./workspace.ts";

let workspace: TestWorkspace;
let app: ReturnType<typeof createApp>;
let calls: Record<"database" | "storage" | "queue", number>;
let isStorageDown: boolean;
beforeAll(async () => {
  workspace = await newWorkspace();
});
beforeEach(() => {
  app = createApp();
  calls = { database: 0, storage: 0, queue: 0 };
  isStorageDown = false;
});

/** The bindings, with a count of the calls they get. */
const counted = (): Env => ({
  ...env,
  PUBLIC_URL: "https://sluice.test",
  DB: new Proxy(env.DB, {
    get(target, name) {
      if (name === "prepare")
        return (text: string) => {
          calls.database += /^select 1 from workspaces limit 1$/.test(text) ? 1 : 0;
          return target.prepare(text);
        };
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? (value.bind(target) as unknown) : value;
    },
  }),
  MEDIA: {
    head: async (key: string) => {
      calls.storage += 1;
      if (isStorageDown) throw new Error("R2 is away, at its secret place");
      return env.MEDIA.head(key);
    },
  } as R2Bucket,
  PURGES: {
    send: async (body: unknown) => {
      calls.queue += 1;
      return env.PURGES.send(body);
    },
  } as Queue,
});

async function ask(authorization?: string, bindings = counted()): Promise<Response> {
  const context = createExecutionContext();
  const headers = authorization === undefined ? {} : { authorization };
  const response = await app.fetch(new Request("http://sluice.test/healthz", { headers }), bindings, context);
  await waitOnExecutionContext(context);
  return response;
}

test("two hundred requests of strangers make one look at D1 and R2, and no message or call of an encoder", async () => {
  const fetched = vi.spyOn(globalThis, "fetch");
  const bindings = counted();
  const first = await Promise.all(Array.from({ length: 100 }, () => ask(undefined, bindings)));
  const second = await Promise.all(Array.from({ length: 100 }, () => ask(undefined, bindings)));
  for (const response of [...first, ...second]) {
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ status: "up" });
  }
  expect(calls).toEqual({ database: 1, storage: 1, queue: 0 });
  expect(fetched).not.toHaveBeenCalled();
  fetched.mockRestore();
});

test("a stranger hears that something is down, and not what", async () => {
  isStorageDown = true;
  const response = await ask();
  expect(response.status).toBe(503);
  expect(await response.text()).toBe('{"status":"degraded"}');
});

test("with credentials every part is named, and asking again at once repeats no check", async () => {
  const bindings = counted();
  const answers = await Promise.all(Array.from({ length: 50 }, () => ask(workspace.authorization, bindings)));
  const { status, parts } = await answers[0]!.json<{ status: string; parts: Record<string, { status: string }> }>();
  expect(answers[0]!.status).toBe(503); // the tests have no encoder
  expect([status, Object.entries(parts).map(([name, part]) => [name, part.status])]).toEqual([
    "degraded",
    [
      ["settings", "up"],
      ["database", "up"],
      ["storage", "up"],
      ["queue", "up"],
      ["encoder", "down"],
    ],
  ]);
  expect(calls).toEqual({ database: 1, storage: 1, queue: 1 });
});

test("with credentials it is a request of the workspace, and beyond the limit there is no check", async () => {
  const limiter = vi.spyOn(env.API_REQUESTS, "limit").mockResolvedValue({ success: false });
  try {
    const refused = await ask(workspace.authorization);
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "60"]);
    expect(limiter.mock.calls).toEqual([[{ key: workspace.id }]]);
    expect(calls).toEqual({ database: 0, storage: 0, queue: 0 });
    expect((await ask()).status).toBe(200); // a stranger's is no request of a workspace
  } finally {
    limiter.mockRestore();
  }
});

test("bad credentials get 401 and no check", async () => {
  expect((await ask(`Basic ${btoa("nobody:secret")}`)).status).toBe(401);
  expect(calls).toEqual({ database: 0, storage: 0, queue: 0 });
});

test("a result is answered for five seconds and a change is seen after them", async () => {
  let nowMs = 1_000_000;
  const cache = new HealthCache(() => nowMs);
  const bindings = counted();
  expect((await cache.read(bindings, "public")).status).toBe("up");
  isStorageDown = true;
  nowMs += 4999;
  expect((await cache.read(bindings, "public")).status).toBe("up");
  nowMs += 1;
  expect((await cache.read(bindings, "public")).status).toBe("degraded");
  expect(calls.storage).toBe(2);
});

test.each([
  ["JOB_SECRET", undefined, "JOB_SECRET is missing"],
  ["JOB_SECRET", "a".repeat(31), "JOB_SECRET holds a secret of 31 characters"],
  ["ENCODER_SECRET", "", "ENCODER_SECRET is missing"],
  ["WEBHOOK_KEYS", undefined, "WEBHOOK_KEYS is missing"],
  ["WEBHOOK_KEYS", "k1:c2hvcnQ=", "WEBHOOK_KEYS is not"],
  ["ENCODER_URL", "http://encoder.example.com", "ENCODER_URL must be an https URL"],
  ["PUBLIC_URL", "http://video.example.com", "PUBLIC_URL must be an https URL"],
  ["MAX_SOURCE_BYTES", "abc", "MAX_SOURCE_BYTES must be a positive whole number"],
  ["MAX_SOURCE_BYTES", undefined, "MAX_SOURCE_BYTES must be a positive whole number"],
  ["LIVE_PART_TARGET_MS", "5000", "LIVE_PART_TARGET_MS must be a whole number from 200 to 1000"],
])("%s = %j is named in words to callers with credentials, and in the log", async (name, value, words) => {
  const bindings = { ...counted(), [name]: value };
  const written = vi.spyOn(console, "log");
  const stranger = await ask(undefined, bindings);
  expect([stranger.status, await stranger.text()]).toEqual([503, '{"status":"degraded"}']);
  expect(written.mock.calls.flat().filter((line) => String(line).includes(words))).toHaveLength(1);
  written.mockRestore();
  const known = await ask(workspace.authorization, bindings);
  const { parts } = await known.json<{ parts: { settings: { status: string; detail: string } } }>();
  expect(parts.settings.status).toBe("down");
  expect(parts.settings.detail).toContain(words);
  if (value !== undefined && value !== "" && !name.endsWith("URL")) expect(parts.settings.detail).not.toContain(value);
});

test("without an encoder and containers, as in wrangler dev, one line says what is missing and how to get it", async () => {
  const response = await ask(workspace.authorization, { ...counted(), ENCODER_URL: "" });
  const { parts } = await response.json<{ parts: Record<string, { status: string; detail?: string }> }>();
  expect(parts["encoder"]).toMatchObject({
    status: "down",
    detail: expect.stringMatching(
      /^there is no encoder: ENCODER_URL is empty, .*"npm run dev" starts an encoder.*$/,
    ) as unknown,
  });
});
