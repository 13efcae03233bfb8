/** `npm start` and `npm run demo` as a user runs them: processes, ports, files, Ctrl-C. */
import { createSocket } from "node:dgram";
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startLicenseService } from "../../support/license-service.ts";
import { authorizationAt, serviceVariables } from "../../support/license-try.ts";
import { freePort } from "../../support/platform.ts";
import { commandOf, descendantsOf } from "../../support/processes.ts";

interface Running {
  child: ChildProcess;
  output: () => string;
  exit: Promise<number | null>;
}

let home: string;
const running: Running[] = [];

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "sluice-start-"));
});
afterEach(async () => {
  for (const { child, exit } of running.splice(0)) {
    child.kill("SIGTERM");
    await exit;
  }
  await rm(home, { recursive: true, force: true });
});

/** @param detached in a separate process group, which gets a Ctrl-C, as in a terminal */
function run(script: string, args: string[], env: Record<string, string>, detached = false): Running {
  const child = spawn(process.execPath, [script, ...args], {
    env: { ...process.env, SLUICE_HOME: home, ...env },
    detached,
  });
  let output = "";
  child.stdout.on("data", (chunk) => (output += String(chunk)));
  child.stderr.on("data", (chunk) => (output += String(chunk)));
  const exit = new Promise<number | null>((done) => child.once("close", done));
  const started = { child, output: () => output, exit };
  running.push(started);
  return started;
}

const PORTS = ["PORT", "ENCODER_PORT", "RTMP_PORT", "SRT_PORT", "INGEST_PORT"] as const;

async function ports(): Promise<Record<(typeof PORTS)[number], string>> {
  const free: [string, string][] = [];
  for (const name of PORTS) free.push([name, String(await freePort())]);
  return Object.fromEntries(free) as Record<(typeof PORTS)[number], string>;
}

const isAlive = (pid: number) => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

interface Local {
  baseUrl: string;
  workspaceId: string;
  username: string;
  password: string;
}

async function untilReady(): Promise<Local> {
  await expect
    .poll(
      () =>
        stat(join(home, "local.json")).then(
          () => true,
          () => false,
        ),
      { timeout: 60_000 },
    )
    .toBe(true);
  return JSON.parse(await readFile(join(home, "local.json"), "utf8")) as Local;
}

const ask = (local: Local, path: string, init: RequestInit = {}) =>
  fetch(`${local.baseUrl}${path}`, {
    ...init,
    headers: {
      authorization: `Basic ${btoa(`${local.username}:${local.password}`)}`,
      "content-type": "application/json",
    },
  });

const hostsIn = (pid: number) => descendantsOf(pid).filter((each) => commandOf(each).includes("worker-host"));

test("a platform restarts completely, with one workerd, after only its Worker's host was killed", async () => {
  const { child } = run("scripts/start.ts", [], await ports());
  const local = await untilReady();
  const [host] = hostsIn(child.pid ?? 0);
  const before = descendantsOf(host!);
  process.kill(host!, "SIGKILL");
  await expect.poll(() => hostsIn(child.pid ?? 0).some((pid) => pid !== host), { timeout: 20_000 }).toBe(true);
  await expect.poll(() => before.filter(isAlive), { timeout: 10_000 }).toEqual([]);
  const isUp = () =>
    fetch(`${local.baseUrl}/healthz`).then(
      ({ ok }) => ok,
      () => false,
    );
  await expect.poll(isUp, { timeout: 30_000 }).toBe(true);
  expect(hostsIn(child.pid ?? 0)).toHaveLength(1);
});

test("a killed platform leaves no process that holds its ports", async () => {
  const { child, exit } = run("scripts/start.ts", [], await ports());
  await untilReady();
  const processes = descendantsOf(child.pid ?? 0);
  expect(processes.length).toBeGreaterThan(2);
  child.kill("SIGKILL");
  await exit;
  await expect.poll(() => processes.filter(isAlive).map(commandOf), { timeout: 15_000 }).toEqual([]);
});

test("npm start keeps its data across a restart, protects its secrets and leaves no process", async () => {
  const first = run("scripts/start.ts", [], await ports());
  const local = await untilReady();
  expect((await stat(join(home, "local.json"))).mode & 0o777).toBe(0o600);
  expect((await stat(join(home, "secrets.json"))).mode & 0o777).toBe(0o600);
  expect(local).toMatchObject({
    rtmpUrl: expect.stringMatching(/^rtmp:\/\/127\.0\.0\.1:\d+\/live$/) as unknown,
    srtUrl: expect.stringMatching(/^srt:\/\/127\.0\.0\.1:\d+$/) as unknown,
  });

  const health = (await (await ask(local, "/healthz")).json()) as {
    status: string;
    parts: Record<string, { status: string }>;
  };
  expect(health.status).toBe("up");
  expect(Object.entries(health.parts).map(([name, { status }]) => [name, status])).toEqual([
    ["settings", "up"],
    ["database", "up"],
    ["storage", "up"],
    ["queue", "up"],
    ["encoder", "up"],
  ]);
  const body = JSON.stringify({
    inputs: [{ type: "video", url: "https://no-such-host.invalid/a.mp4" }],
    accessPolicy: "public",
  });
  const created = (await (await ask(local, "/v1/on-demand", { method: "POST", body })).json()) as {
    data: { id: string };
  };

  await expect.poll(first.output).toContain("Sluice is up");
  const processes = descendantsOf(first.child.pid ?? 0);
  expect(processes.length).toBeGreaterThan(2);
  first.child.kill("SIGINT");
  expect(await first.exit).toBe(0);
  await expect.poll(() => processes.filter(isAlive).map(commandOf), { timeout: 5000 }).toEqual([]);
  await expect(stat(join(home, "local.json"))).rejects.toThrow("ENOENT");
  expect(first.output()).not.toContain(local.password);
  for (const name of ["worker.log", "encoder.log"]) {
    expect(await readFile(join(home, "logs", name), "utf8")).not.toContain(local.password);
  }

  run("scripts/start.ts", [], await ports());
  const again = await untilReady();
  expect([again.username, again.workspaceId]).toEqual([local.username, local.workspaceId]);
  expect((await ask(again, `/v1/on-demand/${created.data.id}`)).status).toBe(200);
});

test("the licence service and its secret are set by the environment", async () => {
  const service = await startLicenseService();
  try {
    const secret = "Bearer of-the-environment";
    run("scripts/start.ts", [], {
      ...(await ports()),
      ...serviceVariables(service),
      DRM_LICENSE_PROXY_AUTHORIZATION: secret,
    });
    const local = await untilReady();
    expect(await authorizationAt(service, (path, init) => ask(local, path, init))).toBe(secret);
  } finally {
    await service.close();
  }
});

test("a second platform on the same data is refused, and leaves the first one as it is", async () => {
  const same = await ports();
  const first = run("scripts/start.ts", [], same);
  const local = await untilReady();
  const second = run("scripts/start.ts", [], same);
  expect(await second.exit).toBe(1);
  expect(second.output()).toContain(
    `Sluice already runs on the data in ${home}: process ${first.child.pid}, at ${local.baseUrl}`,
  );
  expect(JSON.parse(await readFile(join(home, "local.json"), "utf8"))).toEqual(local);
});

test.each(["PORT", "ENCODER_PORT", "RTMP_PORT", "INGEST_PORT"] as const)(
  "a taken %s ends the start with a clear message, and nothing is started",
  async (variable) => {
    const server = createServer();
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    const address = server.address();
    const taken = String(typeof address === "object" ? address?.port : "");
    try {
      const { exit, output } = run("scripts/start.ts", [], { ...(await ports()), [variable]: taken });
      expect(await exit).toBe(1);
      expect(output()).toContain(`Port ${taken} is taken`);
      expect(output()).toContain(`${variable}=`);
    } finally {
      server.close();
    }
  },
);

test("a taken SRT_PORT, which is UDP, is refused too", async () => {
  const socket = createSocket("udp4");
  await new Promise<void>((done) => socket.bind(0, "127.0.0.1", done));
  const taken = String(socket.address().port);
  try {
    const { exit, output } = run("scripts/start.ts", [], { ...(await ports()), SRT_PORT: taken });
    expect(await exit).toBe(1);
    expect(output()).toContain(`Port ${taken} is taken`);
    expect(output()).toContain("SRT_PORT=");
  } finally {
    socket.close();
  }
});

test("an invalid port is refused with a message", async () => {
  const { exit, output } = run("scripts/start.ts", [], { PORT: "99999" });
  expect(await exit).toBe(1);
  expect(output()).toContain('PORT is "99999"');
});

interface DemoMoment {
  kind: string;
  by?: string;
  percent?: number;
  mediaId?: string;
  type?: string;
  objectId?: string;
  verified?: boolean;
  afterChangeMs?: number;
  startupMs?: number;
  watchedMs?: number;
}

test("the demo processes a file to ready, plays it in a browser, and prints each progress event, each webhook and the view as JSON", async () => {
  const { exit, output } = run("scripts/demo.ts", ["test/fixtures/friday.mp4", "--json", "--exit"], await ports());
  expect(await exit).toBe(0);
  const moments = output()
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as DemoMoment);
  const reported = moments.filter(({ kind }) => kind !== "progress");
  const kinds = reported.map(({ kind }) => kind).filter((kind) => kind !== "delivery");
  expect(kinds).toEqual(["up", "accepted", "probed", "playable", "ready", "links", "view"]);
  const names = reported.map(({ kind, type }) => type ?? kind);
  expect(names.slice(names.indexOf("ready"))).toEqual(["ready", "asset.ready", "links", "playback.completed", "view"]);
  const deliveries = reported.filter(({ kind }) => kind === "delivery");
  const mediaId = reported.find(({ kind }) => kind === "accepted")?.mediaId;
  expect(deliveries.map(({ type, objectId, verified }) => [type, objectId, verified])).toEqual([
    ["asset.created", mediaId, true],
    ["asset.ready", mediaId, true],
    ["playback.completed", (reported.at(-1) as { viewId?: string }).viewId, true],
  ]);
  const view = reported.at(-1)!;
  expect(view).toMatchObject({ browser: expect.stringContaining("Chrom") as string });
  expect(view.startupMs).toBeGreaterThan(0);
  expect(view.watchedMs).toBeGreaterThan(1000);
  for (const { afterChangeMs } of deliveries) expect(afterChangeMs).toBeLessThan(5000);
  expect(moments.find(({ kind }) => kind === "playable")?.by).toBe("passthrough");
  const percents = moments.flatMap(({ percent }) => percent ?? []);
  expect(percents).toEqual(percents.toSorted((a, b) => a - b));
});

test("the demo explains what is wrong with a missing file or one that is not a video", async () => {
  const missing = run("scripts/demo.ts", ["no-such-file.mp4"], await ports());
  expect(await missing.exit).toBe(1);
  expect(missing.output()).toContain('There is no file "no-such-file.mp4"');
  const text = run("scripts/demo.ts", ["package.json", "--exit", "--no-play"], await ports());
  expect(await text.exit).toBe(1);
  expect(text.output()).toContain("source_not_media");
  expect(text.output()).toMatch(/→ asset\.errored +\d+ ms .*signature verified ✓/);
});

test("the webhook of a killed demo is deleted by the next demo of the same home", async () => {
  const killed = run("scripts/demo.ts", ["test/fixtures/friday.mp4", "--json", "--no-play"], await ports());
  await expect.poll(killed.output, { timeout: 60_000 }).toContain('"links"');
  const local = await untilReady();
  const before = await webhookIds(local);
  expect(before).toHaveLength(1);
  const processes = descendantsOf(killed.child.pid ?? 0);
  for (const pid of [killed.child.pid!, ...processes]) process.kill(pid, "SIGKILL");
  await killed.exit;
  await rm(join(home, "local.json"));

  const next = run("scripts/demo.ts", ["test/fixtures/friday.mp4", "--json", "--no-play"], await ports());
  await expect.poll(next.output, { timeout: 60_000 }).toContain('"links"');
  const after = await webhookIds(await untilReady());
  expect(after).toHaveLength(1);
  expect(after).not.toEqual(before);
});

test("Ctrl-C, which all processes of a terminal get at once, deletes the demo's webhook and ends every process", async () => {
  const { child, exit, output } = run(
    "scripts/demo.ts",
    ["test/fixtures/friday.mp4", "--json", "--no-play"],
    await ports(),
    true,
  );
  await expect.poll(output, { timeout: 60_000 }).toContain('"links"');
  const processes = descendantsOf(child.pid ?? 0);
  process.kill(-(child.pid ?? 0), "SIGINT");
  expect(await exit).toBe(0);
  expect(output()).not.toContain('"restarted"');
  await expect.poll(() => processes.filter(isAlive).map(commandOf), { timeout: 5000 }).toEqual([]);
  expect(await readFile(join(home, "logs", "worker.log"), "utf8")).toContain('"webhook.deleted"');
});

async function webhookIds(local: Local): Promise<string[]> {
  const { data } = (await (await ask(local, "/v1/webhooks")).json()) as { data: { id: string }[] };
  return data.map(({ id }) => id);
}
