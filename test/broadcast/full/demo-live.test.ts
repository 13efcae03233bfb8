/** `npm run demo -- --live --exit --json`, as a user runs it. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { runCommand } from "../../support/command.ts";
import { freePort } from "../../support/platform.ts";

test("in real time: the demo of a broadcast is on air, is watched with a latency above zero, and leaves a recording", async () => {
  const home = await mkdtemp(join(tmpdir(), "sluice-demo-live-"));
  onTestFinished(() => rm(home, { recursive: true, force: true }));
  const env: NodeJS.ProcessEnv = { HOME: home, SLUICE_HOME: home };
  for (const name of ["PORT", "ENCODER_PORT", "RTMP_PORT", "SRT_PORT", "INGEST_PORT"])
    env[name] = String(await freePort());
  const words = [process.execPath, "scripts/demo.ts", "--live", "--exit", "--json", "--no-play"];
  const { status, said } = await runCommand(words, { env });
  const order = said.map(({ kind }) => kind).filter((kind) => !["progress", "delivery", "edge"].includes(kind));
  expect([status, order.slice(0, 4), order.includes("recorded")]).toEqual([
    0,
    ["up", "stream", "on_air", "first_part"],
    true,
  ]);
  const edge = said.find(({ kind }) => kind === "edge")!;
  expect(edge["behindMs"]).toBeGreaterThan(0);
  expect(edge["renditions"]).not.toEqual([]);
});
