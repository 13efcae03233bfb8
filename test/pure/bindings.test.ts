/** The bindings of wrangler.toml, and what is generated or repeated from them. */
import { execFile } from "node:child_process";
import { appendFile, cp, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { parse } from "smol-toml";
import { expect, test, vi } from "vitest";
import { bindingsProblems, unlistedParts } from "../../scripts/deploy/bindings-problem.ts";
import { REQUESTS_PER_MINUTE } from "../../src/tenancy/limits/limit-requests.ts";

const check = (cwd: string) =>
  promisify(execFile)(process.execPath, [resolve("scripts/check.ts"), "bindings"], { cwd }).then(
    ({ stdout }) => ({ code: 0, stdout }),
    ({ code, stdout }: { code: number; stdout: string }) => ({ code, stdout }),
  );

vi.setConfig({ testTimeout: 90_000 }); // each check starts wrangler

test("the rate limiter of API requests has the limit that GET /v1/limits reports", async () => {
  const { ratelimits } = parse(await readFile("wrangler.toml", "utf8")) as { ratelimits: object[] };
  expect(ratelimits).toContainEqual(
    expect.objectContaining({ name: "API_REQUESTS", simple: { limit: REQUESTS_PER_MINUTE, period: 60 } }),
  );
});

test("Cloudflare keeps no invocation logs, which would have the tokens in the URLs of requests", async () => {
  const { observability } = parse(await readFile("wrangler.toml", "utf8")) as { observability: object };
  expect(observability).toEqual({ enabled: true, logs: { enabled: true, invocation_logs: false } });
});

test("wrangler.toml has exactly the bindings that the start and the deployment require", async () => {
  const config = parse(await readFile("wrangler.toml", "utf8"));
  expect(bindingsProblems(config)).toEqual([]);
  const types = await readFile("worker-configuration.d.ts", "utf8");
  const names = [...types.matchAll(/^\t([A-Z_]+): (?!string;)/gm)].map(([, name]) => name!);
  for (const name of names) {
    const renamed = JSON.parse(JSON.stringify(config).replaceAll(`"${name}"`, '"RENAMED"')) as object;
    const [problem] = bindingsProblems(renamed);
    expect(problem, `BINDINGS in src/platform/bindings.ts has ${name}`).toContain(
      `no binding ${name}, which the code uses; it has RENAMED`,
    );
  }
  expect(names.length).toBeGreaterThan(15);
});

test("a binding and a consumed queue that the code does not list are named", async () => {
  const config = parse(await readFile("wrangler.toml", "utf8")) as {
    queues: { producers: object[]; consumers: { queue: string }[] };
  };
  expect(unlistedParts(config)).toEqual([]);
  const queues = {
    producers: [...config.queues.producers, { binding: "THINGS", queue: "sluice-things" }],
    consumers: [...config.queues.consumers, { queue: "sluice-things" }],
  };
  expect(unlistedParts({ ...config, queues })).toEqual([
    "wrangler.toml has the binding THINGS, which BINDINGS in src/platform/bindings.ts lacks",
    "wrangler.toml has a consumer for sluice-things, which CONSUMED_QUEUES in src/platform/bindings.ts lacks",
  ]);
});

interface WithObjects {
  durable_objects: { bindings: object[] };
}

test("a durable object without a migration and an entry in BINDINGS is named for both", async () => {
  const config = parse(await readFile("wrangler.toml", "utf8")) as unknown as WithObjects;
  const bindings = [...config.durable_objects.bindings, { name: "COUNTER", class_name: "Counter" }];
  const extended = { ...config, durable_objects: { bindings } };
  expect([...bindingsProblems(extended), ...unlistedParts(extended)]).toEqual([
    "wrangler.toml binds the class Counter, which none of its [[migrations]] creates",
    "wrangler.toml has the binding COUNTER, which BINDINGS in src/platform/bindings.ts lacks",
  ]);
});

test("two migrations with one tag are named, with what to do", async () => {
  const config = parse(await readFile("wrangler.toml", "utf8")) as unknown as { migrations: { tag: string }[] };
  const { tag } = config.migrations.at(-1)!;
  const migrations = [...config.migrations, { tag, new_sqlite_classes: ["Counter"] }];
  expect(bindingsProblems({ ...config, migrations })).toEqual([
    `wrangler.toml has two [[migrations]] with the tag "${tag}"; an account that has the first does not get the second, so give the later one a tag of its own`,
  ]);
});

test("a class that is bound and not exported is named, and the types are not to be generated without it", async () => {
  const root = await mkdtemp(join(tmpdir(), "sluice-bindings-"));
  try {
    for (const name of ["wrangler.toml", "worker-configuration.d.ts", "src"])
      await cp(name, join(root, name), { recursive: true });
    const others = [
      "durable-objects",
      "encoder",
      "node_modules",
      "protocol",
      "scripts",
      "tsconfig.base.json",
      "tsconfig.json",
    ];
    for (const name of others) await symlink(resolve(name), join(root, name));
    const worker = await readFile(join(root, "src/worker.ts"), "utf8");
    await writeFile(join(root, "src/worker.ts"), worker.replace(/^ {2}ImageMaker,$\n/m, ""));
    const { code, stdout } = await check(root);
    expect(code).toBe(1);
    expect(stdout).toContain("\nsrc/worker.ts does not export the class ImageMaker, which wrangler.toml binds.\n");
    expect(stdout).not.toContain("npm run types");
  } finally {
    await rm(root, { recursive: true, force: true });
  }
});

test("an edited file fails the check, and so does one that lacks a binding or has an unknown variable; the check says what to run", async () => {
  const root = await mkdtemp(join(tmpdir(), "sluice-bindings-"));
  try {
    for (const name of ["wrangler.toml", "worker-configuration.d.ts"]) await cp(name, join(root, name));
    for (const name of ["encoder", "node_modules", "scripts", "src"]) await symlink(resolve(name), join(root, name));
    expect(await check(root)).toMatchObject({ code: 0 });
    const types = join(root, "worker-configuration.d.ts");
    const generated = await readFile(types, "utf8");
    await writeFile(types, generated.replace("MEDIA: R2Bucket;", "MEDIA: KVNamespace;"));
    expect((await check(root)).code).toBe(1);
    await writeFile(types, generated);
    const config = await readFile(join(root, "wrangler.toml"), "utf8");
    await writeFile(join(root, "wrangler.toml"), config.replace('binding = "CLIPS"', 'binding = "CLIPZ"'));
    expect((await check(root)).stdout).toContain(
      "wrangler.toml has no binding CLIPS, which the code uses; it has CLIPZ",
    );
    await writeFile(join(root, "wrangler.toml"), config.replace(/^BEACON_DOMAIN /m, "BEACON_DOMAINS "));
    expect((await check(root)).stdout).toContain(
      "wrangler.toml: there is no variable BEACON_DOMAINS (did you mean BEACON_DOMAIN?).",
    );
    await writeFile(join(root, "wrangler.toml"), config);
    await appendFile(join(root, "wrangler.toml"), '\n[[kv_namespaces]]\nbinding = "PLANTED"\nid = "1"\n');
    const { code, stdout } = await check(root);
    expect(code).toBe(1);
    expect(stdout).toContain("✗ bindings");
    expect(stdout).toContain('run "npm run types"');
  } finally {
    await rm(root, { recursive: true, force: true });
  }
});

test("an unknown check ends with one line that says which there are", async () => {
  const failed = promisify(execFile)(process.execPath, ["scripts/check.ts", "formt"]);
  await expect(failed).rejects.toMatchObject({
    code: 2,
    stderr: expect.stringMatching(
      /^There is no check "formt"; did you mean "format"\? \(there are format, .*\)\n$/,
    ) as unknown,
  });
});
