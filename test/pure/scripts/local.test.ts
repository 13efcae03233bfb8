/** The start of the platform on one machine, as far as it needs no platform. */
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdir, mkdtemp, readFile, readdir, rm, stat, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { promisify } from "node:util";
import { createSocket } from "node:dgram";
import { type AddressInfo, createServer } from "node:net";
import { build, type BuildOptions } from "esbuild";
import { parse } from "smol-toml";
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { type LocalDatabase, withLocalDatabase } from "../../../scripts/local/database.ts";
import { applyMigrations } from "../../../scripts/local/migrate.ts";
import { HeldOutput } from "../../../scripts/local/held-output.ts";
import { answersInTime, refusesConnections } from "../../../scripts/local/liveness.ts";
import { WranglerBundle } from "../../../scripts/local/wrangler-bundle.ts";
import { loadErrorIn } from "../../../scripts/local/load-error.ts";
import { requireFreePorts } from "../../../scripts/local/free-ports.ts";
import { Part } from "../../../scripts/local/part.ts";
import { ENDED, processIdentity } from "../../../scripts/local/process-identity.ts";
import { claimFolder } from "../../../scripts/local/sole-use.ts";
import { loadOptions } from "../../../scripts/local/file-options.ts";
import { loadSettings, StartError } from "../../../scripts/local/settings.ts";
import { LOCAL_VARIABLES } from "../../../scripts/local/variables.ts";
import { OPTIONAL_SECRETS } from "../../../scripts/secrets/fresh.ts";
import { VARIABLE_NAMES, variableProblem } from "../../../src/platform/variables.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "sluice-local-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, "close");
  return port;
}

/** An address at which nothing answers. */
const SILENT = "http://127.0.0.1:9";

describe("a claim of a folder of data", () => {
  const writeClaim = (claim: object) => writeFile(join(folder, "running.json"), JSON.stringify(claim));

  test("of a running process is refused, and can be made again after its release", async () => {
    const release = await claimFolder(folder, SILENT);
    await expect(claimFolder(folder, SILENT)).rejects.toThrow(`process ${process.pid}, at ${SILENT}`);
    await release();
    await (
      await claimFolder(folder, SILENT)
    )();
    expect(await readdir(folder)).toEqual([]);
  });

  test("is taken over from a process whose pid another process has", async () => {
    await writeClaim({ pid: process.pid, identity: `${await processIdentity(process.pid)}0`, baseUrl: SILENT });
    const release = await claimFolder(folder, `${SILENT}9`);
    expect(await readFile(join(folder, "running.json"), "utf8")).toContain(`${SILENT}9`);
    await release();
  });

  test("is taken over from a process that was killed and that its parent does not wait for", async () => {
    // The shell becomes a program that does not know of its child, before anybody hears of it.
    const parent = spawn("sh", ["-c", 'sleep 60 & exec sh -c "echo $!; exec sleep 60"']);
    onTestFinished(() => void parent.kill("SIGKILL"));
    const pid = Number(await once(parent.stdout, "data").then(([text]) => String(text)));
    const identity = await processIdentity(pid);
    process.kill(pid, "SIGKILL");
    await vi.waitFor(async () => expect(await processIdentity(pid)).toBe(ENDED));
    await writeClaim({ pid, identity, baseUrl: SILENT });
    await (
      await claimFolder(folder, SILENT)
    )();
  });

  test("without an identity, as of an earlier release, is taken over unless its platform answers", async () => {
    await writeClaim({ pid: 1, baseUrl: SILENT });
    const release = await claimFolder(folder, `${SILENT}9`);
    expect(await readFile(join(folder, "running.json"), "utf8")).toContain(`${SILENT}9`);
    await release();
  });

  test("is removed when the start is interrupted", async () => {
    const script = `
      import { claimFolder } from ${JSON.stringify(resolve("scripts/local/sole-use.ts"))};
      import { runUntilStopped } from ${JSON.stringify(resolve("scripts/local/run.ts"))};
      setInterval(() => {}, 1000);
      await runUntilStopped(async () => {
        await claimFolder(${JSON.stringify(folder)}, "${SILENT}");
        console.log("claimed");
        await new Promise(() => {});
      });`;
    const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    await once(child.stdout, "data");
    child.kill("SIGINT");
    expect(await once(child, "close")).toEqual([130, null]);
    expect(await readdir(folder)).toEqual([]);
  });
});

/** The part of D1 that migrations use, on SQLite. */
function localDatabase(db: DatabaseSync): LocalDatabase {
  type Statement = ReturnType<LocalDatabase["prepare"]>;
  const statement = (sql: string, values: unknown[] = []): Statement => ({
    bind: (...given) => statement(sql, given),
    all: <T>() => Promise.resolve({ results: db.prepare(sql).all(...(values as string[])) as T[] }),
  });
  return {
    exec: (sql) => Promise.resolve(db.exec(sql)),
    prepare: (sql) => statement(sql),
    async batch(statements) {
      for (const one of statements) await one.all();
    },
  };
}

test("a migration that fails ends the start with one line that names its file, after those before it", async () => {
  await writeFile(join(folder, "0000_good.sql"), "CREATE TABLE a (b)");
  await writeFile(join(folder, "0001_bad.sql"), "CREATE TABEL c (d)");
  const db = new DatabaseSync(":memory:");
  const failure = applyMigrations(localDatabase(db), folder);
  await expect(failure).rejects.toThrow(StartError);
  await expect(failure).rejects.toThrow(/^\S+\/0001_bad\.sql cannot be applied: .*"TABEL".*$/);
  expect(db.prepare("SELECT name FROM d1_migrations").all()).toEqual([{ name: "0000_good.sql" }]);
  await writeFile(join(folder, "0001_bad.sql"), "CREATE TABLE c (d)");
  await applyMigrations(localDatabase(db), folder);
  expect(db.prepare("SELECT count(*) AS n FROM d1_migrations").get()).toEqual({ n: 2 });
});

test("a part that says that it cannot start is not started again, and its reason is the start's", async () => {
  const log = join(folder, "starts");
  const script = `require("node:fs").appendFileSync(${JSON.stringify(log)}, "x"); process.send({ failed: "no tables" }, () => process.exit(1))`;
  const part = new Part("worker", () =>
    spawn(process.execPath, ["-e", script], { stdio: ["ignore", "ignore", "inherit", "ipc"] }),
  );
  part.start(() => expect.unreachable());
  await expect(part.ready).rejects.toThrow(new StartError("no tables"));
  await part.stop();
  expect(await readFile(log, "utf8")).toBe("x");
});

test("a part that has been ready is restarted whatever it says", async () => {
  let starts = 0;
  const part = new Part("worker", () => {
    const message = starts++ === 0 ? "{ ready: true }" : '{ failed: "no tables" }';
    return spawn(process.execPath, ["-e", `process.send(${message}, () => process.exit(1))`], {
      stdio: ["ignore", "ignore", "inherit", "ipc"],
    });
  });
  part.start(() => undefined);
  await expect.poll(() => starts, { timeout: 20_000 }).toBeGreaterThan(2);
  await part.stop();
});

test("a part that keeps exiting is restarted after longer and longer pauses", async () => {
  const [exits, starts]: [number[], number[]] = [[], []];
  const part = new Part("encoder", () => {
    starts.push(performance.now());
    return spawn(process.execPath, ["-e", ""], { stdio: ["ignore", "ignore", "inherit", "ipc"] });
  });
  part.start(() => exits.push(performance.now()));
  await expect.poll(() => starts.length, { timeout: 20_000 }).toBe(4);
  await part.stop();
  const [first = 0, second = 0, third = 0] = exits.map((at, i) => starts[i + 1]! - at);
  expect(first).toBeGreaterThan(450);
  expect(second).toBeGreaterThan(950);
  expect(third).toBeGreaterThan(1950);
});

test("a part that has to start and exits at once ends the start, with the place of the reason", async () => {
  const begin = () => spawn(process.execPath, ["-e", ""], { stdio: ["ignore", "ignore", "inherit", "ipc"] });
  const part = new Part("worker", begin, { reason: "worker.log says why" });
  part.start(() => expect.unreachable());
  await expect(part.ready).rejects.toThrow(new StartError("The worker does not start; worker.log says why."));
});

describe("the output of wrangler", () => {
  const LOG_LINE = String.raw`  {"timestamp":"1","level":"error","message":"service core:user:sluice: Uncaught Error: no \"x\"\n  at worker.js:1:7\n  at y","context_depth":0}`;

  test("has the error of a Worker that throws while it is loaded, in one line", () => {
    expect(loadErrorIn(`Runtime stderr:\n${LOG_LINE}\n`, null)).toBe(
      'The Worker throws while it is loaded: Uncaught Error: no "x" (at worker.js:1:7)',
    );
    expect(loadErrorIn('{"message":"Address already in use"}', null)).toBeNull();
  });

  test("has its place in the source, from the bundle that wrangler wrote last", async () => {
    const [old, bundled] = ["dev-old", "dev-new"].map((name) => join(folder, ".wrangler/tmp", name));
    const source = join(folder, "thrower.ts");
    await writeFile(source, `interface Nothing { a: string }\n\nthrow new Error('no "x"') as Error & Nothing;\n`);
    const options: BuildOptions = { entryPoints: [source], bundle: true, format: "esm", sourcemap: "linked" };
    await build({ ...options, banner: { js: "// older" }, outfile: join(old!, "worker.js") });
    await utimes(join(old!, "worker.js"), 0, 0);
    await build({ ...options, outfile: join(bundled!, "worker.js") });
    const lines = (await readFile(join(bundled!, "worker.js"), "utf8")).split("\n");
    const line = lines.findIndex((text) => text.startsWith("throw")) + 1;
    const bundle = new WranglerBundle(folder);
    expect(bundle.last).toBeNull();
    const map = join(bundled!, "worker.js.map");
    const whole = await readFile(map, "utf8");
    for (const text of [whole.slice(0, 100), whole]) {
      await writeFile(map, text);
      await utimes(map, 4e9, 4e9); // newest of all, and equal: the clock of the file system has ticks of some milliseconds
      bundle.look();
    }
    await rm(join(folder, ".wrangler"), { recursive: true }); // as wrangler does when it ends
    bundle.look();
    expect(loadErrorIn(LOG_LINE.replace(":1:7", `:${line}:7`), bundle.last)).toMatch(
      /^The Worker throws while it is loaded: Uncaught Error: no "x" \(at \S*thrower\.ts:3:7\)$/,
    );
    expect(loadErrorIn(LOG_LINE, { path: join(folder, "worker.js"), mapOf: () => null })).toContain("at worker.js:1:7");
  });

  test("is held back from the start and from such an error on, and printed or dropped as a whole", () => {
    let printed = "";
    const output = new HeldOutput((text) => (printed += text));
    output.add("banner ");
    expect(printed).toBe("");
    output.release();
    output.add("request ");
    expect(printed).toBe("banner request ");
    output.add(LOG_LINE);
    output.add("warning ");
    expect(printed).toBe("banner request ");
    expect(loadErrorIn(output.recent, null)).not.toBeNull();
    output.drop();
    output.add("request ");
    expect(printed).toBe("banner request request ");
  });
});

describe("wrangler counts as hung", () => {
  /** Each probe takes so long on the clock, and the one with this number is answered. */
  const hung = (probeMs: number, answeredAt = Infinity) => {
    let nowMs = 0;
    let probes = 0;
    const probe = async () => ((nowMs += probeMs), ++probes === answeredAt);
    return answersInTime("", { probe, now: () => nowMs, pauseMs: 0 }).then((isAlive) => ({ isAlive, probes }));
  };

  test("after 15 s without an answer", async () => {
    expect(await hung(1000)).toEqual({ isAlive: false, probes: 15 });
  });
  test("not after two probes, however long they took", async () => {
    expect(await hung(60_000)).toEqual({ isAlive: false, probes: 3 });
    expect(await hung(60_000, 3)).toEqual({ isAlive: true, probes: 3 });
  });
  test("not when a late probe is answered", async () => {
    expect(await hung(1000, 14)).toEqual({ isAlive: true, probes: 14 });
  });
});

test.each(["start.ts", "dev.ts"])("%s refuses an unknown option, and its help names every variable", async (script) => {
  const run = (option: string) => promisify(execFile)(process.execPath, [`scripts/${script}`, option]);
  await expect(run("--foo")).rejects.toMatchObject({
    code: 2,
    stderr: expect.stringContaining("There is no option --foo (there is --help)") as unknown,
  });
  const { stdout } = await run("--help");
  const { vars } = parse(await readFile("wrangler.toml", "utf8")) as { vars: Record<string, string> };
  const ports = ["PORT", "ENCODER_PORT", "RTMP_PORT", "SRT_PORT", "INGEST_PORT"];
  for (const name of [...ports, "SLUICE_HOME", ...Object.keys(vars), ...VARIABLE_NAMES, ...OPTIONAL_SECRETS])
    expect(stdout).toContain(`\n  ${name} `);
});

test("docs/guides/settings.md names the variables that the help of npm start names", async () => {
  const guide = await readFile("docs/guides/settings.md", "utf8");
  const [, section = ""] = /^## The local platform$([^]*?)^## /m.exec(guide) ?? [];
  const rows = section.split("\n").filter((line) => line.startsWith("| `"));
  const named = rows.flatMap((row) => [...row.split(" | ")[0]!.matchAll(/`([A-Z0-9_]+)`/g)].map(([, name]) => name!));
  expect(named.toSorted()).toEqual(Object.keys(LOCAL_VARIABLES).toSorted());
});

test("every variable of the Worker is taken from the environment of the start", async () => {
  const values = ["true", "1", "300", "5000", "data.localhost", "a.b", "live-1", "https://a.example"];
  const valid = [...values, ...["rtmp", "rtmps", "srt"].map((scheme) => `${scheme}://a.example/b`)];
  const valueOf = (name: string) => valid.find((value) => variableProblem(name, value) === null)!;
  const given = Object.fromEntries(VARIABLE_NAMES.map((name) => [name, valueOf(name)]));
  const { vars, allowPrivateNetwork } = await loadSettings(given as unknown as NodeJS.ProcessEnv, { home: folder });
  expect({ ...vars, ALLOW_PRIVATE_NETWORK: String(allowPrivateNetwork) }).toEqual(given);
});

test("what is kept of wrangler.toml has no variable of the environment", async () => {
  vi.stubEnv("BEACON_DOMAIN", "stale.localhost");
  vi.stubEnv("JOB_SECRET", "of the shell");
  onTestFinished(() => void vi.unstubAllEnvs());
  const { bindings } = await loadOptions();
  const config = parse(await readFile("wrangler.toml", "utf8")) as { vars: Record<string, string> };
  expect(bindings).toMatchObject({ BEACON_DOMAIN: config.vars["BEACON_DOMAIN"] });
  expect(bindings).not.toHaveProperty("JOB_SECRET");
  expect(process.env["BEACON_DOMAIN"]).toBe("stale.localhost");
});

test("a .dev.vars with a broken WEBHOOK_KEYS or a misspelt variable ends the start with one line", async () => {
  const vars = ["JOB_SECRET", "ENCODER_SECRET"].map((name) => `${name}=${"a".repeat(32)}`);
  await writeFile(join(folder, ".dev.vars"), [...vars, "WEBHOOK_KEYS=k1:short"].join("\n"));
  const failed = promisify(execFile)(process.execPath, [resolve("scripts/dev.ts")], { cwd: folder });
  await expect(failed).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^key 1 of WEBHOOK_KEYS is not .*\. Correct \.dev\.vars, or .*\n$/) as unknown,
  });
  await writeFile(
    join(folder, ".dev.vars"),
    [...vars, "WEBHOOK_KEYS=k1:short", "MAX_SOURCE_BYTE=5", "MINE=1"].join("\n"),
  );
  const misspelt = promisify(execFile)(process.execPath, [resolve("scripts/dev.ts")], { cwd: folder });
  await expect(misspelt).rejects.toMatchObject({
    stderr: "there is no variable MAX_SOURCE_BYTE (did you mean MAX_SOURCE_BYTES?). Correct .dev.vars.\n",
  });
});

test("a .dev.vars without values, as a copy of its example, gets generated ones, unless there is data already", async () => {
  const script = `import { ensureDevVars } from ${JSON.stringify(resolve("scripts/local/dev-vars.ts"))}; await ensureDevVars();`;
  const run = () => promisify(execFile)(process.execPath, ["--input-type=module", "-e", script], { cwd: folder });
  const example = await readFile(".dev.vars.example", "utf8");
  await writeFile(join(folder, ".dev.vars"), example);
  await mkdir(join(folder, ".wrangler/state/v3"), { recursive: true });
  await expect(run()).rejects.toThrow("lacks JOB_SECRET, ENCODER_SECRET, WEBHOOK_KEYS");
  await rm(join(folder, ".wrangler"), { recursive: true });
  await run();
  const filled = await readFile(join(folder, ".dev.vars"), "utf8");
  expect(filled).toMatch(/^JOB_SECRET=.{32,}$/m);
  await run();
  expect(await readFile(join(folder, ".dev.vars"), "utf8")).toBe(filled);
  await rm(join(folder, ".dev.vars"));
  await writeFile(join(folder, ".dev.vars.example"), example);
  await expect(run(), "new secrets would not open what the old ones have sealed").rejects.toThrow(
    ".dev.vars is missing, and its secrets have sealed data in .wrangler/state",
  );
});

test("a wrong variable of wrangler.toml, a renamed binding, and a file that is not TOML end the start with one line", async () => {
  const start = () => promisify(execFile)(process.execPath, [resolve("scripts/start.ts")], { cwd: folder });
  const config = await readFile("wrangler.toml", "utf8");
  await writeFile(join(folder, "wrangler.toml"), config.replace('binding = "DB"', 'binding = "DATABASE"'));
  await expect(start()).rejects.toMatchObject({
    code: 1,
    stderr:
      "wrangler.toml has no binding DB, which the code uses; it has DATABASE, which the code does not use. Correct wrangler.toml.\n",
  });
  await writeFile(
    join(folder, "wrangler.toml"),
    config.replace(/^MAX_SOURCE_BYTES = .*$/m, 'MAX_SOURCE_BYTES = "100GB"'),
  );
  await expect(start()).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^MAX_SOURCE_BYTES must be .*\. Correct wrangler\.toml\.\n$/) as unknown,
  });
  await writeFile(join(folder, "wrangler.toml"), config.replace(/^MAX_SOURCE_BYTES = .*$/m, 'MAX_SOURCE_BYTES = ""'));
  await expect(start()).rejects.toMatchObject({
    code: 1,
    stderr: "MAX_SOURCE_BYTES must be a positive whole number. Correct wrangler.toml.\n",
  });
  await writeFile(join(folder, "wrangler.toml"), "[vars\n");
  await expect(start()).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^wrangler\.toml is not TOML: /) as unknown,
  });
});

test("a file as the folder of data ends the start with one line that says so", async () => {
  const file = join(folder, "README.md");
  await writeFile(file, "");
  const start = promisify(execFile)(process.execPath, ["scripts/start.ts"], {
    env: { ...process.env, SLUICE_HOME: file },
  });
  await expect(start).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(
      /^\S+README\.md cannot be the folder of data: ENOTDIR: .*\. Name another one with SLUICE_HOME\.\n$/,
    ) as unknown,
  });
});

test("the data and the logs of a platform are closed to other users, also those of an earlier release", async () => {
  const state = join(folder, "state");
  await mkdir(state, { mode: 0o755 });
  await chmod(folder, 0o755);
  await loadSettings({ ...process.env }, { home: folder });
  for (const name of ["state", "logs"]) expect((await stat(join(folder, name))).mode & 0o777).toBe(0o700);
  const fresh = join(folder, "new", "home");
  await loadSettings({ ...process.env }, { home: fresh });
  for (const name of [".", "state", "logs"]) expect((await stat(join(fresh, name))).mode & 0o777).toBe(0o700);
});

test("two parts with the same port are named before anything starts", async () => {
  vi.stubEnv("PORT", "8887");
  vi.stubEnv("RTMP_PORT", "8887");
  onTestFinished(() => void vi.unstubAllEnvs());
  const settings = loadSettings(process.env, { home: folder });
  await expect(settings).rejects.toThrow("PORT and RTMP_PORT are both 8887; each needs a port of its own.");
});

test("npm run dev ends at once when the Worker does not build, with the place of the error", async () => {
  await mkdir(join(folder, "src"));
  await writeFile(join(folder, "src/worker.ts"), "const x = ;");
  await writeFile(join(folder, ".dev.vars.example"), await readFile(".dev.vars.example", "utf8"));
  const names = ["PORT", "ENCODER_PORT", "RTMP_PORT", "SRT_PORT", "INGEST_PORT"];
  const ports = await Promise.all(names.map(async (name) => [name, String(await freePort())] as const));
  const env = { ...process.env, ...Object.fromEntries(ports), SLUICE_HOME: join(folder, ".sluice") };
  const failed = promisify(execFile)(process.execPath, [resolve("scripts/dev.ts")], { cwd: folder, env });
  await expect(failed).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(
      /src\/worker\.ts:1:10:[^]*\nThe code does not build, for the reason above\..*\n$/,
    ) as unknown,
  });
});

test("every port that is taken is named at once, UDP too, with the variables that change them", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  const socket = createSocket("udp4").bind(0, "127.0.0.1");
  onTestFinished(() => void [server, socket].map((one) => one.close()));
  await Promise.all([once(server, "listening"), once(socket, "listening")]);
  const { port: tcp } = server.address() as { port: number };
  const { port: udp } = socket.address();
  const ports = {
    port: tcp,
    encoderPort: await freePort(),
    ingestPorts: { rtmp: await freePort(), srt: udp, http: await freePort() },
  };
  await expect(requireFreePorts(ports)).rejects.toThrow(
    `Ports ${tcp}, ${udp} are taken. Stop the programs that use them, or choose other ports with PORT=… SRT_PORT=….`,
  );
  await requireFreePorts({ ...ports, port: await freePort(), ingestPorts: null });
});

test("a port refuses connections when nothing listens there, and not when its program never answers", async () => {
  const server = createServer(() => undefined).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  expect(await refusesConnections(port)).toBe(false);
  await new Promise((done) => server.close(done));
  expect(await refusesConnections(port)).toBe(true);
});

test("a statement waits until a running platform has released the database", async () => {
  await withLocalDatabase(folder, async (database) => {
    await database.exec("CREATE TABLE held (id INTEGER)");
    const files = await readdir(folder, { recursive: true });
    const file = files.find((name) => /d1.*[0-9a-f]{64}\.sqlite$/.test(name))!;
    const platform = new DatabaseSync(join(folder, file));
    platform.exec("BEGIN IMMEDIATE");
    setTimeout(() => platform.exec("COMMIT"), 300);
    await database.prepare("INSERT INTO held VALUES (1)").all();
    expect((await database.prepare("SELECT id FROM held").all()).results).toEqual([{ id: 1 }]);
    platform.close();
  });
});
