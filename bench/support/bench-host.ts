import { fork } from "node:child_process";
import { createWriteStream } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundle } from "../../scripts/local/bundle.ts";
import { readOptions } from "../../scripts/local/file-options.ts";
import type { HostSettings } from "../../scripts/local/worker-host.ts";
import { loadSettings } from "../../scripts/local/settings.ts";
import { freePort } from "../../test/support/platform.ts";
import { descendantsOf } from "../../test/support/processes.ts";

/** The Worker of bench/worker in a separate workerd, started as the local platform starts the product. */
export interface BenchHost {
  baseUrl: string;
  authorization: string;
  workspaceId: string;
  /** The folder of its databases. */
  state: string;
  encoderSecret: string;
  processIds(): number[];
  stop(): Promise<void>;
}

const WORKER = "dist/bench/worker.js";
const STOP_LIMIT_MS = 5000;

/** @param vars further variables of the Worker */
export async function startBenchHost(vars: Record<string, string> = {}): Promise<BenchHost> {
  const home = await mkdtemp(join(tmpdir(), "sluice-bench-"));
  const settings = await loadSettings({}, { home, port: await freePort(), encoderPort: 9, allowPrivateNetwork: true });
  await bundle("bench/worker/worker.ts", WORKER);
  const options: HostSettings = {
    ...settings,
    vars: { ...settings.vars, ...vars },
    workerPath: WORKER,
    options: await readOptions(),
    isDatabaseReady: false,
  };
  const child = fork("scripts/local/worker-host.ts", [], {
    env: { ...process.env, SLUICE_WORKER: JSON.stringify(options) },
    stdio: ["ignore", "pipe", "pipe", "ipc"],
    execArgv: ["--disable-warning=ExperimentalWarning"],
  });
  const log = createWriteStream(join(home, "worker.log"));
  child.stdout?.pipe(log, { end: false });
  child.stderr?.pipe(log, { end: false });
  await new Promise((ready, failed) => {
    child.once("message", ready);
    child.once("exit", (code) => failed(new Error(`the Worker's host ended with ${code}; see ${home}`)));
  });
  const { username, password, workspaceId, encoderSecret } = settings.secrets;
  return {
    baseUrl: `http://127.0.0.1:${settings.port}`,
    authorization: `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`,
    workspaceId,
    state: join(home, "state"),
    encoderSecret,
    processIds: () => (child.pid === undefined ? [] : descendantsOf(child.pid)),
    async stop() {
      const gone = new Promise((done) => child.once("exit", done));
      child.kill("SIGTERM");
      const workers = child.pid === undefined ? [] : descendantsOf(child.pid);
      const timer = setTimeout(
        () => [child.pid!, ...workers].forEach((pid) => process.kill(pid, "SIGKILL")),
        STOP_LIMIT_MS,
      );
      await gone;
      clearTimeout(timer);
      await rm(home, { recursive: true, force: true });
    },
  };
}
