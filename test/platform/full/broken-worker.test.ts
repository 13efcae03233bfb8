/** The start of a platform whose Worker cannot run. */
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { PortsTaken } from "../../../scripts/local/free-ports.ts";
import { hostedWorker } from "../../../scripts/local/hosted-worker.ts";
import { startPlatform } from "../../../scripts/local/platform.ts";
import { loadSettings, StartError } from "../../../scripts/local/settings.ts";
import { freePort } from "../../support/platform.ts";

let home: string;
beforeEach(async () => {
  await mkdir("dist", { recursive: true });
  home = await mkdtemp("dist/broken-"); // workerd refuses modules outside of the repository
});
afterEach(() => rm(home, { recursive: true, force: true }));

/**
 * @param meanwhile runs after the ports were found free, and before the Worker starts
 * @returns why the platform does not start, the time that this took, and the number of restarts
 */
async function startOf(
  worker: string,
  meanwhile: (port: number) => Promise<void> = async () => undefined,
): Promise<{ error: unknown; tookMs: number; restarts: number }> {
  const workerPath = join(home, "worker.js");
  await writeFile(workerPath, worker);
  const settings = await loadSettings(
    {},
    { home, port: await freePort(), encoderPort: await freePort(), ingestPorts: null },
  );
  const startedAt = performance.now();
  let restarts = 0;
  const start = startPlatform(
    settings,
    (part) => (restarts += part === "worker" ? 1 : 0),
    async (of) => {
      await meanwhile(of.port);
      return await hostedWorker(async () => ({ workerPath }))(of);
    },
  );
  const error = await start.then(
    (platform) => platform.stop(),
    (why: unknown) => why,
  );
  return { error, tookMs: performance.now() - startedAt, restarts };
}

test("a Worker that throws while it is loaded ends npm start at once, with the cause and its place in the source", async () => {
  // Maps the beginning of the bundle to line 3 of the source.
  const map = { version: 3, sources: ["thrower.ts"], names: [], mappings: "AAEA" };
  await writeFile(join(home, "worker.js.map"), JSON.stringify(map));
  const { error, tookMs, restarts } = await startOf('throw new Error("BOOM at load");');
  expect(error).toBeInstanceOf(StartError);
  expect((error as Error).message).toMatch(
    /^The Worker throws while it is loaded: Uncaught Error: BOOM at load \(at dist\/broken-\w+\/thrower\.ts:3:1\)$/,
  );
  expect(restarts).toBe(0);
  expect(tookMs).toBeLessThan(50_000); // START_LIMIT_MS is 60 s
});

test("a port that another program takes after it was found free ends the start with its number", async () => {
  const server = createServer();
  let port = 0;
  try {
    const { error, restarts } = await startOf("export default {};", async (wanted) => {
      port = wanted;
      await new Promise<void>((done) => server.listen(wanted, "127.0.0.1", done));
    });
    expect(error).toBeInstanceOf(PortsTaken);
    expect((error as Error).message).toContain(`Port ${port} is taken.`);
    expect(restarts).toBe(0);
  } finally {
    server.close();
  }
});
