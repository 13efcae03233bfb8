import { type ChildProcess, fork } from "node:child_process";
import { createWriteStream } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { gatewayCredential } from "../../protocol/gateway-credential.ts";
import { bundle } from "./bundle.ts";
import { requireFreePort, requireFreeUdpPort, type Settings, StartError, writePrivately } from "./settings.ts";

/** A running local platform. */
export interface Platform {
  baseUrl: string;
  settings: Settings;
  /** `authorization` header of the local workspace. */
  authorization: string;
  /** Process ids, for tests that kill a part. */
  pids: { worker: () => number | undefined; encoder: () => number | undefined; ingest: () => number | undefined };
  stop(): Promise<void>;
}

const START_LIMIT_MS = 60_000;
const RESTART_AFTER_MS = 500;
const STOP_LIMIT_MS = 10_000;

/** One child process, which is restarted when it dies unexpectedly. */
class Part {
  private child: ChildProcess | undefined;
  /** Resolves with the child's first message, which it sends after its setup. */
  readonly ready: Promise<void>;
  private markReady: () => void = () => undefined;
  private stopping = false;
  private readonly name: string;
  private readonly begin: () => ChildProcess;
  /** The child's descendants are ended with it: a workerd without its host would keep the port. */
  private readonly leadsGroup: boolean;

  constructor(name: string, begin: () => ChildProcess, { leadsGroup = false } = {}) {
    this.name = name;
    this.begin = begin;
    this.leadsGroup = leadsGroup;
    this.ready = new Promise((done) => (this.markReady = done));
  }

  get pid(): number | undefined {
    return this.child?.pid;
  }

  start(onRestart: (name: string) => void): void {
    this.child = this.begin();
    const { pid } = this.child;
    this.child.once("message", this.markReady);
    this.child.once("exit", () => {
      if (this.leadsGroup && pid !== undefined) endGroup(pid);
      if (this.stopping) return;
      onRestart(this.name);
      setTimeout(() => !this.stopping && this.start(onRestart), RESTART_AFTER_MS);
    });
  }

  async stop(): Promise<void> {
    this.stopping = true;
    const child = this.child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const gone = new Promise((done) => child.once("exit", done));
    child.kill("SIGTERM");
    const timer = setTimeout(() => child.kill("SIGKILL"), STOP_LIMIT_MS);
    await gone;
    clearTimeout(timer);
  }
}

function endGroup(leaderPid: number): void {
  try {
    process.kill(-leaderPid, "SIGKILL");
  } catch {
    // The group has no process left.
  }
}

/** @param input text for its standard input: secrets, which would be visible in its environment */
function forkPart(
  script: string,
  env: Record<string, string>,
  logPath: string,
  { detached = false, input = "" }: { detached?: boolean; input?: string } = {},
): ChildProcess {
  const child = fork(script, [], {
    env: { ...process.env, ...env },
    stdio: ["pipe", "pipe", "pipe", "ipc"],
    execArgv: ["--disable-warning=ExperimentalWarning"],
    detached,
  });
  child.stdin?.on("error", () => {}); // already ended: its exit is handled elsewhere
  child.stdin?.end(input);
  const logFile = createWriteStream(logPath, { flags: "a" });
  child.stdout?.pipe(logFile, { end: false });
  child.stderr?.pipe(logFile, { end: false });
  child.once("exit", () => logFile.end());
  return child;
}

/**
 * Starts the Worker, the encoder and the ingest gateway and waits until they answer. Writes `local.json` into the home once they do.
 *
 * @throws {StartError} with a message for the user: a port is taken, a part does not start
 */
export async function startPlatform(
  settings: Settings,
  onRestart: (part: string) => void = () => undefined,
): Promise<Platform> {
  await requireFreePort(settings.port, "PORT");
  await requireFreePort(settings.encoderPort, "ENCODER_PORT");
  const { ingestPorts } = settings;
  if (ingestPorts !== null) {
    await requireFreePort(ingestPorts.rtmp, "RTMP_PORT");
    await requireFreeUdpPort(ingestPorts.srt, "SRT_PORT");
    await requireFreePort(ingestPorts.http, "INGEST_PORT");
  }
  const localFile = join(settings.home, "local.json");
  await rm(localFile, { force: true }); // its presence means that the platform is ready
  const { workerPath } = await bundle();
  const logs = join(settings.home, "logs");
  const startWorker = () =>
    forkPart(
      "scripts/local/worker-host.ts",
      { SLUICE_WORKER: JSON.stringify({ ...settings, workerPath }) },
      join(logs, "worker.log"),
      // In a separate process group: a Ctrl-C would end workerd before a graceful stop. It ends with this process in
      // every case.
      { detached: true },
    );
  const worker = new Part("worker", startWorker, { leadsGroup: true });
  const encoder = new Part("encoder", () =>
    forkPart(
      "encoder/server.ts",
      { PORT: String(settings.encoderPort), HOST: "127.0.0.1", ENCODER_SECRET_FILE: "-" },
      join(logs, "encoder.log"),
      { input: settings.secrets.encoderSecret },
    ),
  );
  const baseUrl = `http://127.0.0.1:${settings.port}`;
  const ingest = ingestPorts && newIngest(settings, ingestPorts, baseUrl);
  const { workspaceId, username, password } = settings.secrets;
  const stop = async () => {
    await ingest?.stop(); // the gateway uploads received media while the Worker is still running
    await Promise.all([worker.stop(), encoder.stop()]);
    await rm(localFile, { force: true });
  };
  worker.start(onRestart);
  encoder.start(onRestart);
  ingest?.start(onRestart);
  try {
    await untilHealthy(baseUrl, settings.secrets, logs, worker.ready);
    if (ingest !== null) await untilReady(ingest.ready, "the ingest gateway", logs);
  } catch (error) {
    await stop();
    throw error;
  }
  await writePrivately(localFile, { baseUrl, workspaceId, username, password });
  return {
    baseUrl,
    settings,
    authorization: `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`,
    pids: { worker: () => worker.pid, encoder: () => encoder.pid, ingest: () => ingest?.pid },
    stop,
  };
}

function newIngest(settings: Settings, ports: NonNullable<Settings["ingestPorts"]>, workerUrl: string): Part {
  const env = {
    WORKER_URL: workerUrl,
    HOST: "127.0.0.1",
    GATEWAY_CREDENTIAL_FILE: "-",
    RTMP_PORT: String(ports.rtmp),
    SRT_PORT: String(ports.srt),
    HTTP_PORT: String(ports.http),
  };
  return new Part("ingest gateway", () =>
    forkPart("encoder/gateway/gateway.ts", env, join(settings.home, "logs", "ingest.log"), {
      input: gatewayCredential(settings.secrets.encoderSecret, "local", ["127.0.0.1"]),
    }),
  );
}

async function untilReady(ready: Promise<void>, name: string, logs: string): Promise<void> {
  const timer = new AbortController();
  const tooLate = sleep(START_LIMIT_MS, "late", { signal: timer.signal }).catch(() => "");
  const isLate = (await Promise.race([ready, tooLate])) === "late";
  timer.abort();
  if (isLate) throw new StartError(`The platform did not come up: ${name} does not start.\nIts logs are in ${logs}.`);
}

async function untilHealthy(
  baseUrl: string,
  { username, password }: Settings["secrets"],
  logs: string,
  workerReady: Promise<void>,
): Promise<void> {
  const headers = { authorization: `Basic ${btoa(`${username}:${password}`)}` };
  const deadline = Date.now() + START_LIMIT_MS;
  let last = "the Worker does not start";
  await Promise.race([workerReady, new Promise((done) => setTimeout(done, START_LIMIT_MS).unref())]);
  while (Date.now() < deadline) {
    const health = await fetch(`${baseUrl}/healthz`, { headers }).then(
      async (response) => ({ isUp: response.ok, text: await response.text() }),
      (error: unknown) => ({ isUp: false, text: String(error) }),
    );
    if (health.isUp) return;
    last = health.text;
    await new Promise((done) => setTimeout(done, 100));
  }
  throw new StartError(`The platform did not come up: ${last}\nIts logs are in ${logs}.`);
}
