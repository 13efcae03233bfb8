import { fork } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { Supervisor, type Supervision } from "../../encoder/platform/supervisor.ts";

const folder = await mkdtemp(join(tmpdir(), "sluice-supervisor-"));
afterAll(() => rm(folder, { recursive: true, force: true }));

let scripts = 0;
/** A child that runs this code. */
async function childOf(code: string) {
  const path = join(folder, `${(scripts += 1)}.mjs`);
  await writeFile(path, code);
  return fork(path, { stdio: ["ignore", "ignore", "pipe", "ipc"] });
}
const GENEROUS: Supervision<string> = { watchMs: 20, rssBytes: 2 ** 40, tooLarge: "too large" };
const RUNS_ON = "setInterval(() => {}, 1000);";

test("a child that exits by itself is described by its exit code and last stderr output", async () => {
  const child = await childOf(`process.stderr.write("out of luck"); process.exitCode = 3;`);
  expect(await new Supervisor(child, GENEROUS).watch()).toEqual({ outcome: null, how: "3 out of luck" });
});

test("only the end of a long standard error is kept", async () => {
  const child = await childOf(
    `for (let n = 0; n < 100; n++) { process.stderr.write("x".repeat(5000)); await new Promise((r) => setTimeout(r, 3)); }`,
  );
  const { how } = await new Supervisor(child, GENEROUS).watch();
  expect(how!.length).toBeGreaterThan(2000);
  expect(how!.length).toBeLessThan(20 * 2001);
});

test("the first outcome counts, also when the child is killed for another reason", async () => {
  const child = await childOf(RUNS_ON);
  const supervisor = new Supervisor(child, GENEROUS);
  supervisor.settle("done");
  supervisor.end("late");
  expect(await supervisor.watch()).toEqual({ outcome: "done" });
  expect(child.signalCode).toBe("SIGKILL");
});

test("a verdict, too much memory or a stop end a child that would run on", async () => {
  let looks = 0;
  const verdict = () => ((looks += 1) === 3 ? "silent" : null);
  const silent = new Supervisor(await childOf(RUNS_ON), { ...GENEROUS, verdict }).watch();
  const large = new Supervisor(await childOf(RUNS_ON), { ...GENEROUS, rssBytes: 2 ** 20 }).watch();
  const stopped = new Supervisor(await childOf(RUNS_ON), {
    ...GENEROUS,
    stop: { signal: AbortSignal.timeout(100), outcome: "stopped" },
  }).watch();
  const before = new Supervisor(await childOf(RUNS_ON), {
    ...GENEROUS,
    stop: { signal: AbortSignal.abort(), outcome: "stopped before" },
  }).watch();
  expect(await Promise.all([silent, large, stopped, before])).toEqual([
    { outcome: "silent" },
    { outcome: "too large" },
    { outcome: "stopped" },
    { outcome: "stopped before" },
  ]);
});

test("a child that has ended before it is watched is noticed at once", async () => {
  const child = await childOf("process.exit(7)");
  await new Promise((resolve) => child.once("exit", resolve));
  expect((await new Supervisor(child, GENEROUS).watch()).how).toMatch(/^7/);
});
