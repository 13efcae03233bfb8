/** `npm run dev` as a developer runs it, in a copy of the tree: edits are served, a clip gets ready, Ctrl-C ends everything. */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { appendFile, cp, mkdtemp, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout } from "node:timers/promises";
import { inspect, parseEnv, promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { serveFile } from "../../../scripts/local/file-server.ts";
import { runCommand } from "../../support/command.ts";
import { type LicenseService, startLicenseService } from "../../support/license-service.ts";
import { authorizationAt, serviceVariables } from "../../support/license-try.ts";
import { codeBlocks } from "../../support/guide-blocks.ts";
import { freePort, type Media } from "../../support/platform.ts";
import { commandOf, descendantsOf } from "../../support/processes.ts";

const COPIED = [
  "src",
  "durable-objects",
  "protocol",
  "player",
  "encoder",
  "scripts",
  "sdk",
  "migrations",
  "vendor",
  "wrangler.toml",
  "package.json",
];

const GUIDE = "docs/guides/developing.md";
const LICENSE_SECRET = "Bearer of-dev-vars";

let root: string;
let mediaId = "";
let licenseService: LicenseService;
let dev: { child: ChildProcess; output: () => string; exit: Promise<number | null> };
let local: { baseUrl: string; workspaceId: string; username: string; password: string };
const env: NodeJS.ProcessEnv = {
  ...process.env,
  NODE_COMPILE_CACHE: resolve("dist/compiled"),
  ALLOW_PRIVATE_NETWORK: "true",
  SLUICE_HOME: undefined,
};

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "sluice-dev-"));
  for (const name of [...COPIED, ".dev.vars.example"]) await cp(name, join(root, name), { recursive: true });
  await symlink(resolve("node_modules"), join(root, "node_modules"));
  licenseService = await startLicenseService();
  const lines = Object.entries({
    ...serviceVariables(licenseService),
    DRM_LICENSE_PROXY_AUTHORIZATION: LICENSE_SECRET,
  });
  await appendFile(join(root, ".dev.vars.example"), lines.map(([name, value]) => `${name}="${value}"\n`).join(""));
  for (const name of ["PORT", "ENCODER_PORT", "RTMP_PORT", "SRT_PORT", "INGEST_PORT"])
    env[name] = String(await freePort());
  // In a group of its own, as in a terminal.
  const child = spawn(process.execPath, ["scripts/dev.ts"], { cwd: root, env, detached: true });
  let output = "";
  const isUp = new Promise<void>((done) => {
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (chunk) => {
        output += String(chunk);
        if (output.includes("Sluice is up")) done();
      });
  });
  const exit = new Promise<number | null>((done) => child.once("close", done));
  dev = { child, output: () => output, exit };
  const ended = exit.then((code) => Promise.reject(new Error(`npm run dev ended with ${code}:\n${output}`)));
  ended.catch(() => undefined);
  await Promise.race([isUp, ended]);
  local = JSON.parse(await readFile(join(root, ".sluice/local.json"), "utf8")) as typeof local;
});
afterAll(async () => {
  dev.child.kill("SIGTERM");
  await dev.exit;
  await licenseService.close();
  await rm(root, { recursive: true, force: true });
});

const api = (path: string, init: RequestInit = {}, { username, password } = local) =>
  fetch(`${local.baseUrl}${path}`, {
    ...init,
    headers: { authorization: `Basic ${btoa(`${username}:${password}`)}`, "content-type": "application/json" },
  });

/** Runs a script of the repository beside it. */
const run = async (script: string, ...args: string[]) =>
  (await promisify(execFile)(process.execPath, [`scripts/${script}.ts`, ...args, "--dev"], { cwd: root, env })).stdout;

test("the first run generates the secrets for the developer alone, and the whole platform is up", async () => {
  const file = join(root, ".dev.vars");
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  const secrets = parseEnv(await readFile(file, "utf8"));
  const generated = ["ENCODER_SECRET", "JOB_SECRET", "WEBHOOK_KEYS"];
  expect(Object.keys(secrets).filter((name) => !name.startsWith("DRM_"))).toEqual(expect.arrayContaining(generated));
  for (const name of generated) expect(secrets[name]!.length).toBeGreaterThanOrEqual(32);
  for (const secret of Object.values(secrets)) expect(dev.output()).not.toContain(secret);
  const { parts } = (await (await api("/healthz")).json()) as { parts: Record<string, { status: string }> };
  expect(Object.values(parts).map(({ status }) => status)).toEqual(["up", "up", "up", "up", "up"]);
});

test("the secret of a licence service in .dev.vars reaches the Worker, and no command line", async () => {
  expect(await authorizationAt(licenseService, api)).toBe(LICENSE_SECRET);
  const commands = descendantsOf(dev.child.pid!).map(commandOf);
  expect(commands.filter((command) => command.includes("wrangler")).length).toBeGreaterThan(0);
  expect(commands.filter((command) => command.includes(LICENSE_SECRET))).toEqual([]);
});

test("an edit is served without a restart", async () => {
  const page = () => fetch(`${local.baseUrl}/`, { headers: { accept: "text/html" } }).then((answer) => answer.text());
  const [before, after] = ["A video platform in your own", "An edit of your own"];
  expect(await page()).toContain(before);
  const file = join(root, "src/start-page.ts");
  const source = await readFile(file, "utf8");
  await writeFile(file, source.replace(before, after));
  await expect.poll(page, { timeout: 30_000 }).toContain(after);
});

test("a clip gets ready", async () => {
  const source = await serveFile("test/fixtures/friday.mp4");
  try {
    const body = JSON.stringify({ inputs: [{ type: "video", url: source.url }], accessPolicy: "public" });
    const created = (await (await api("/v1/on-demand", { method: "POST", body })).json()) as { data: Media };
    const status = async () =>
      ((await (await api(`/v1/on-demand/${created.data.id}`)).json()) as { data: Media }).data.status;
    await expect.poll(status, { timeout: 60_000, interval: 200 }).toBe("Ready");
    mediaId = created.data.id;
  } finally {
    source.close();
  }
});

test("npm run state shows what the database, the bucket and the durable objects keep, and changes nothing", async () => {
  expect(await run("state")).toMatch(/'AssetMachine' +│ 1 /);
  expect(await run("state", "d1", "SELECT id, status FROM assets")).toMatch(new RegExp(`${mediaId}.*'ready'`));
  expect(await run("state", "r2", `assets/${mediaId}/source`)).toContain(`'assets/${mediaId}/source'`);
  expect((await run("state", "AssetMachine")).trim()).toBe(mediaId);
  expect(await run("state", "AssetMachine", mediaId)).toMatch(/data: \{ status: 'ready' \}[^]*│ 'jobs' +│ \d+ /);
  await expect(run("state", "AssetMachine", mediaId, "DELETE FROM jobs")).rejects.toThrow("readonly database");
  await expect(run("state", "d1", "SELECT 1; SELECT 2")).rejects.toThrow("One statement at a time: SELECT 2");
  await expect(run("state", "AssetMachines")).rejects.toThrow(/These are there: AssetMachine, /);
});

test("the commands of the guide for developers work beside it, in their order", async () => {
  const own = codeBlocks(GUIDE).filter(({ language, code }) => language === "sh" && code.includes("--dev"));
  expect(own.length).toBeGreaterThan(2);
  const script = own.map(({ code }) => code).join("\n");
  const shell = promisify(execFile)("bash", ["--norc", "-euo", "pipefail", "-c", script], { cwd: root, env });
  const { stdout } = await shell;
  expect(stdout).toMatch(new RegExp(`${mediaId}.*'ready'`));
  expect(stdout).toMatch(/Bare Worker[^]*Second workspace/);
});

test("the guide's file server serves a clip at the address that it prints", async () => {
  const command = codeBlocks(GUIDE).find(({ code }) => code.includes("file-server.ts"));
  const server = spawn("bash", ["--norc", "-c", command!.code], { env, detached: true });
  const ended = new Promise((done) => server.once("close", done));
  try {
    const url = await new Promise<string>((done) => server.stdout.once("data", (line) => done(String(line).trim())));
    const served = Buffer.from(await (await fetch(url)).arrayBuffer());
    expect(served.equals(await readFile("test/fixtures/flower.mp4"))).toBe(true);
  } finally {
    process.kill(-server.pid!, "SIGTERM");
    await ended;
  }
});

test("npm run workspace and npm run credential work beside it: a new credential is valid, a revoked one is not", async () => {
  const made = await run("workspace", "create", "Bob's");
  const valueOf = (label: string) => new RegExp(`^  ${label} +(\\S+)$`, "m").exec(made)?.[1] ?? "";
  const credential = { ...local, username: valueOf("username"), password: valueOf("password") };
  expect((await api("/v1/on-demand", {}, credential)).status).toBe(200);
  await run("credential", "revoke", credential.username);
  const status = async () => (await api("/v1/on-demand", {}, credential)).status;
  await expect.poll(status, { timeout: 15_000, interval: 500 }).toBe(401);
});

const BOOM = 'throw new Error("BOOM at load");';
const CAUSE = /^The Worker throws while it is loaded: Uncaught Error: BOOM at load \(at src\/start-page\.ts:\d+:7\)$/gm;

/** wrangler is restarted by then if its first start does not answer (`RESTART_LIMIT_MS` in wrangler-host.ts). */
const RESTARTED_IN_MS = 100_000;

/** The first answer of the Worker that is as expected; when there is none in time, what came instead, and what `npm run dev` said meanwhile. */
async function answerOf(path: string, isExpected: (answer: string) => boolean): Promise<string> {
  const [before, startedAt] = [dev.output().length, performance.now()];
  for (;;) {
    // wrangler may hold a request forever.
    const init = { headers: { accept: "text/html" }, signal: AbortSignal.timeout(5000) };
    const answer = await fetch(`${local.baseUrl}${path}`, init)
      .then(async (response) => `${response.status} ${await response.text()}`)
      .catch((error: unknown) => inspect(error)); // the body may be held as well as the headers
    if (isExpected(answer)) return answer;
    if (performance.now() - startedAt > RESTARTED_IN_MS) return `${answer}\nnpm run dev: ${dev.output().slice(before)}`;
    await setTimeout(250);
  }
}

/** Matches a text that contains this one exactly once. */
const once = (text: string) => new RegExp(`^(?:(?!${text})[^])*${text}(?:(?!${text})[^])*$`);

/** None if there are fewer than so many; else all, which the failure then shows. */
function linesUnlessBelow(bound: number, text: string): string[] {
  const lines = text.split("\n");
  return lines.length < bound ? [] : lines;
}

test("an edit that throws while it is loaded is named once, without its repetition, and its correction is served", async () => {
  const before = dev.output().length;
  const said = () => dev.output().slice(before);
  const file = join(root, "src/start-page.ts");
  const source = await readFile(file, "utf8");
  await writeFile(file, `${source}\n${BOOM}`);
  await expect.poll(said, { timeout: 40_000 }).toMatch(/Requests are refused until the next change/);
  await writeFile(file, `${source}\nconst x = ;`);
  await expect.poll(said, { timeout: 40_000 }).toMatch(/^ +src\/start-page\.ts:\d+:\d+:$/m);
  await writeFile(file, source.replace("An edit of your own", "Another edit"));
  expect(await answerOf("/", (page) => page.includes("Another edit"))).toContain("Another edit");
  expect(said().match(CAUSE)).toHaveLength(1);
  expect(said()).toMatch(once("is restarted"));
  expect(linesUnlessBelow(40, said())).toEqual([]);
});

test("requests are answered again after the runtime was killed, by wrangler or by its restart", async () => {
  const listener = descendantsOf(dev.child.pid!).find((pid) =>
    commandOf(pid).includes(`--socket-addr=entry=127.0.0.1:${env["PORT"]} `),
  );
  process.kill(listener!, "SIGKILL");
  // wrangler often holds every request after such a crash. It is restarted once it has not answered for 15 s.
  expect(await answerOf("/healthz", (answer) => answer.startsWith("200"))).toMatch(/^200/);
});

test("Ctrl-C, which all processes of a terminal get at once, ends every process and removes local.json", async () => {
  const processes = descendantsOf(dev.child.pid!);
  expect(processes.length).toBeGreaterThan(4);
  const before = dev.output().length;
  process.kill(-dev.child.pid!, "SIGINT");
  expect(await dev.exit).toBe(0);
  expect(dev.output().slice(before)).not.toContain("is restarted");
  const alive = () => processes.filter((pid) => commandOf(pid) !== "").map(commandOf);
  await expect.poll(alive, { timeout: 5000 }).toEqual([]);
  await expect(stat(join(root, ".sluice/local.json"))).rejects.toThrow("ENOENT");
});

test("a Worker that throws while it is loaded ends the start at once, with the cause", async () => {
  const file = join(root, "src/start-page.ts");
  await writeFile(file, `${await readFile(file, "utf8")}\n${BOOM}`);
  const { status, output } = await runCommand([process.execPath, "scripts/dev.ts"], { cwd: root, env });
  expect([status, output.trimEnd().split("\n").at(-1)]).toEqual([1, expect.stringMatching(CAUSE)]);
  expect(linesUnlessBelow(10, output)).toEqual([]);
  expect(output).not.toContain("did not come up"); // what a start says that has waited for its whole limit
});
