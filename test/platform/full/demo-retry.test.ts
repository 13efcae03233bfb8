/** `npm run demo` with a source that cannot be read yet. */
import { spawn } from "node:child_process";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { eventually } from "../../support/live-watch.ts";
import { freePort } from "../../support/platform.ts";

test("the demo says when its source is tried again, and Ctrl-C ends it cleanly meanwhile", async () => {
  const home = await mkdtemp(join(tmpdir(), "sluice-demo-"));
  const env: NodeJS.ProcessEnv = { ...process.env, SLUICE_HOME: home };
  for (const name of ["PORT", "ENCODER_PORT", "RTMP_PORT", "SRT_PORT", "INGEST_PORT"])
    env[name] = String(await freePort());
  const source = `http://127.0.0.1:${await freePort()}/film.mp4`;
  const demo = spawn(process.execPath, ["scripts/demo.ts", source, "--json", "--no-play"], { env });
  let [stdout, stderr] = ["", ""];
  demo.stdout.on("data", (chunk) => (stdout += String(chunk)));
  demo.stderr.on("data", (chunk) => (stderr += String(chunk)));
  const ended = new Promise<number | null>((done) => demo.once("close", done));
  try {
    const retry = await eventually("a retry", async () => /^.*"kind":"retry".*$/m.exec(stdout)?.[0] ?? null);
    expect(JSON.parse(retry)).toEqual({
      kind: "retry",
      reason: "source_unreachable",
      attempt: 1,
      nextAttemptAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT/) as string,
      afterMs: expect.any(Number) as number,
    });
  } finally {
    demo.kill("SIGINT");
  }
  expect([await ended, stderr]).toEqual([0, ""]);
  const left = await readdir(home);
  expect(left.filter((file) => file === "local.json" || file === "running.json")).toEqual([]);
  await rm(home, { recursive: true, force: true });
});
