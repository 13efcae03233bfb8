/** A platform's script ends with the npm that runs it, and only with that. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, expect, onTestFinished, test } from "vitest";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "sluice-npm-"));
  await writeFile(join(folder, "package.json"), '{ "scripts": { "start": "node up.mjs" } }');
  await writeFile(
    join(folder, "up.mjs"),
    `import { appendFileSync } from "node:fs";
    import { runUntilStopped } from ${JSON.stringify(resolve("scripts/local/run.ts"))};
    const log = (text) => appendFileSync("log", text + "\\n");
    log(process.pid);
    await runUntilStopped(async () => {
      setInterval(() => log("runs"), 200);
      return { stop: async () => log("stopped") };
    }, () => "up");`,
  );
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const log = () => readFile(join(folder, "log"), "utf8").catch(() => "");

/** @returns once the script runs, with its process id */
async function start(command: string): Promise<{ child: ChildProcess; scriptPid: number }> {
  const env = { ...process.env, npm_lifecycle_event: undefined, npm_lifecycle_script: undefined };
  const child = spawn("sh", ["-c", command], { cwd: folder, env, stdio: ["pipe", "ignore", "ignore"] });
  await expect.poll(log, { timeout: 20_000 }).toContain("runs");
  const scriptPid = Number.parseInt(await log());
  onTestFinished(() => {
    try {
      process.kill(scriptPid, "SIGKILL");
    } catch {
      // It has ended.
    }
  });
  return { child, scriptPid };
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

test.each(["SIGTERM", "SIGKILL"] as const)("a %s of npm stops the platform in order", async (signal) => {
  const { child } = await start("exec npm start");
  child.kill(signal);
  await expect.poll(log, { timeout: 10_000 }).toContain("stopped");
});

test.each(["nohup npm start &", "nohup node up.mjs &"])("%s outlives its shell", async (command) => {
  const { child, scriptPid } = await start(`${command} echo $! > background; read line`);
  child.stdin?.end();
  await once(child, "exit");
  await writeFile(join(folder, "log"), "");
  const linesOf = async () => (await log()).split("\n");
  await expect.poll(async () => (await linesOf()).length, { timeout: 20_000 }).toBeGreaterThan(10); // 2 s, four looks for npm
  expect(await linesOf()).not.toContain("stopped");
  process.kill(Number(await readFile(join(folder, "background"), "utf8")));
  if (command.includes("npm")) await expect.poll(log, { timeout: 10_000 }).toContain("stopped");
  await expect.poll(() => isRunning(scriptPid), { timeout: 10_000 }).toBe(false); // it writes into the folder until then
});
