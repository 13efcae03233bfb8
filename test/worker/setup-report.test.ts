/** What a bare `wrangler dev` says: no tables, no secrets, no encoder. */
import { createExecutionContext, env, waitOnExecutionContext } from "cloudflare:test";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { createApp, createFetch } from "../../src/app.ts";
import type { Env } from "../../src/platform/env.ts";

const complete = (): Env => ({ ...env, PUBLIC_URL: "" });
const bare = (): Env => ({ ...complete(), JOB_SECRET: undefined as never, ENCODER_URL: "" });

/** As before the first migration. */
async function dropTables(): Promise<void> {
  for (const name of ["workspaces", "credentials", "playback_ids"]) await env.DB.exec(`DROP TABLE ${name}`);
}

async function ask(fetch: ReturnType<typeof createFetch>, url: string, bindings: Env, headers = {}) {
  const context = createExecutionContext();
  const response = await fetch(new Request(url, { headers }), bindings, context);
  await waitOnExecutionContext(context);
  return response;
}

const setupLines = (calls: unknown[][]) =>
  calls
    .flat()
    .map(String)
    .filter((line) => line.includes("setup.incomplete"));

const MISSING =
  "JOB_SECRET is missing; the database's migrations have not been applied; " +
  'ENCODER_URL is empty, and without an encoder only standard sources play: "npm run dev" sets up secrets, tables and the encoder when it is started';

test("a platform that lacks nothing says nothing", async () => {
  const written = vi.spyOn(console, "log");
  const whole = await ask(createFetch(createApp()), "http://localhost:8787/healthz", complete());
  expect(await whole.json()).toEqual({ status: "up" });
  expect(setupLines(written.mock.calls)).toEqual([]);
  written.mockRestore();
});

test("a value that cannot be used is named with the place to correct it", async () => {
  const answer = await ask(createFetch(createApp()), "http://localhost:8787/healthz", {
    ...complete(),
    MAX_WORKSPACE_STREAMS: "many",
  });
  const { setup } = await answer.json<{ setup: string }>();
  expect(setup).toMatch(/^MAX_WORKSPACE_STREAMS must be [^;]+: correct it in wrangler\.toml or \.dev\.vars$/);
});

test("a secret that is too short is to be corrected, since npm run dev does not replace it", async () => {
  const answer = await ask(createFetch(createApp()), "http://localhost:8787/healthz", {
    ...complete(),
    JOB_SECRET: "short",
  });
  const { setup } = await answer.json<{ setup: string }>();
  expect(setup).toMatch(
    /^JOB_SECRET holds a secret of 5 characters[^:]*: correct it in wrangler\.toml or \.dev\.vars$/,
  );
});

test("a binding that wrangler.toml lacks is named with the place to correct it", async () => {
  const { CLIPS: _, ...bindings } = complete();
  const answer = await ask(createFetch(createApp()), "http://localhost:8787/healthz", bindings as Env);
  const { setup } = await answer.json<{ setup: string }>();
  expect(setup).toBe("there is no binding CLIPS: correct it in wrangler.toml or .dev.vars");
});

describe("with other migrations than the database has", () => {
  const setupOf = async (host: string) => {
    const answer = await ask(createFetch(createApp()), `${host}/healthz`, complete());
    return (await answer.json<{ setup?: string }>()).setup;
  };

  test("/healthz names one that is not applied, on this machine alone", async () => {
    const all = await env.DB.prepare("SELECT name FROM d1_migrations ORDER BY id").all<{ name: string }>();
    const newest = all.results.at(-1)!.name;
    await env.DB.prepare("DELETE FROM d1_migrations WHERE name = ?").bind(newest).run();
    expect(await setupOf("http://localhost:8787")).toBe(
      `the database lacks migrations/${newest}: "npm run dev" sets up secrets, tables and the encoder when it is started`,
    );
    expect(await setupOf("https://sluice.test")).toBeUndefined();
    await env.DB.prepare("INSERT INTO d1_migrations (name) VALUES (?)").bind(newest).run();
    expect(await setupOf("http://localhost:8787")).toBeUndefined();
  });

  test("one that is newer than the build is named with the remedy, on this machine alone, and nothing is down", async () => {
    await env.DB.exec("INSERT INTO d1_migrations (name) VALUES ('9999_newer.sql')");
    const [local, deployed] = await Promise.all(
      ["http://localhost:8787", "https://sluice.test"].map((host) =>
        ask(createFetch(createApp()), `${host}/healthz`, complete()),
      ),
    );
    expect([local!.status, await local!.json()]).toEqual([
      200,
      {
        status: "up",
        setup:
          "the database has migrations/9999_newer.sql, which this copy lacks: use the branch that has it, or stop, and delete .wrangler/state and .dev.vars to begin anew (of npm start: .sluice/state)",
      },
    ]);
    expect([deployed!.status, await deployed!.json()]).toEqual([200, { status: "up" }]);
    await env.DB.exec("DELETE FROM d1_migrations WHERE name = '9999_newer.sql'");
  });

  test("nothing is said of a database that was migrated in another way", async () => {
    await env.DB.exec("ALTER TABLE d1_migrations RENAME TO other_migrations");
    expect(await setupOf("http://localhost:8787")).toBeUndefined();
  });
});

describe("without tables, a secret and an encoder", () => {
  beforeAll(dropTables);

  test("the first request on this machine logs in one line what is missing, and /healthz says the same", async () => {
    const fetch = createFetch(createApp());
    const written = vi.spyOn(console, "log");
    const bindings = bare();
    const answers = [];
    for (const host of ["localhost:8787", "127.0.0.1:8787", "[::1]:8787"])
      answers.push(await (await ask(fetch, `http://${host}/healthz`, bindings)).json());
    const lines = setupLines(written.mock.calls);
    written.mockRestore();
    expect(answers).toEqual(Array.from({ length: 3 }, () => ({ status: "degraded", setup: MISSING })));
    expect(lines.map((line) => JSON.parse(line) as object)).toEqual([
      expect.objectContaining({ level: "warn", missing: MISSING }),
    ]);
  });

  test("a deployment tells strangers nothing", async () => {
    const written = vi.spyOn(console, "log");
    const deployed = await ask(createFetch(createApp()), "https://sluice.test/healthz", bare());
    expect(await deployed.json()).toEqual({ status: "degraded" });
    expect(setupLines(written.mock.calls)).toEqual([]);
    written.mockRestore();
  });

  test.each([
    ["the API", "/v1/on-demand", { authorization: `Basic ${btoa("a:b")}` }],
    ["playback", "/40d43c83-08ee-4d94-b6a9-0d074da2ddb7.m3u8", {}],
  ])("%s answers 503 without tables, and says why", async (_, path, headers) => {
    const response = await ask(createFetch(createApp()), `http://localhost:8787${path}`, bare(), headers);
    expect(response.status).toBe(503);
    expect(await response.json()).toMatchObject({
      error: { code: 503, description: expect.stringContaining("npm run dev") as unknown },
    });
  });
});
