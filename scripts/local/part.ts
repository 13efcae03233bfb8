import { type ChildProcess, fork } from "node:child_process";
import { createWriteStream } from "node:fs";
import { resolve } from "node:path";
import { workerPortTaken } from "./free-ports.ts";
import { StartError } from "./settings.ts";

const RESTART_AFTER_MS = 500;
/** Back-off for a child that has exited several times before its setup was done. */
const MAX_RESTART_AFTER_MS = 30_000;
const STOP_LIMIT_MS = 10_000;

/** A child's first message: its setup is done, or has failed. */
export type PartMessage = { ready: true } | { failed: string } | { takenPort: number };

/** One child process, which is restarted when it exits unexpectedly. */
export class Part {
  private child: ChildProcess | undefined;
  /** Resolves when the child's setup is done. Rejects when the child reports a failure, or exits although its start is required. */
  readonly ready: Promise<void>;
  private markReady: () => void = () => undefined;
  private markFailed: (error: Error) => void = () => undefined;
  private isReady = false;
  private hasFailed = false;
  private stopping = false;
  private readonly name: string;
  private readonly begin: () => ChildProcess;
  /** Also ends the child's descendants: a workerd without its host would keep the port. */
  private readonly leadsGroup: boolean;
  /** If not null, an exit before the first message is final, because a restart would fail in the same way. */
  private readonly reason: string | null;
  private restartAfterMs = RESTART_AFTER_MS;

  /** @param reason says where to read why a child exited before its first message; absent = such an exit also leads to a restart */
  constructor(
    name: string,
    begin: () => ChildProcess,
    { leadsGroup = false, reason }: { leadsGroup?: boolean; reason?: string } = {},
  ) {
    this.name = name;
    this.begin = begin;
    this.leadsGroup = leadsGroup;
    this.reason = reason ?? null;
    this.ready = new Promise((done, failed) => {
      this.markReady = () => {
        this.isReady = true;
        done();
      };
      this.markFailed = (error) => {
        this.hasFailed = true;
        failed(error);
      };
    });
    this.ready.catch(() => undefined); // avoids an unhandled rejection when nobody waits
  }

  get pid(): number | undefined {
    return this.child?.pid;
  }

  start(onRestart: (name: string) => void): void {
    this.child = this.begin();
    const { pid } = this.child;
    this.child.once("message", (message) => this.receive(message as PartMessage));
    this.child.once("exit", () => {
      if (this.leadsGroup && pid !== undefined) endGroup(pid);
      if (this.stopping || this.hasFailed) return;
      if (this.reason !== null && !this.isReady)
        return this.markFailed(new StartError(`The ${this.name} does not start; ${this.reason}.`));
      onRestart(this.name);
      setTimeout(() => !this.stopping && this.start(onRestart), this.restartAfterMs);
      this.restartAfterMs = Math.min(this.restartAfterMs * 2, MAX_RESTART_AFTER_MS);
    });
  }

  private receive(message: PartMessage): void {
    if ("ready" in message) {
      this.restartAfterMs = RESTART_AFTER_MS;
      this.markReady();
    } else if (!this.isReady)
      this.markFailed("failed" in message ? new StartError(message.failed) : workerPortTaken(message.takenPort));
  }

  /** From here on an exit is not a failure: Ctrl-C reaches all processes of a terminal at once. */
  expectExit(): void {
    this.stopping = true;
  }

  async stop(): Promise<void> {
    this.expectExit();
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
    // The group has no processes left.
  }
}

/**
 * @param input text for its standard input: secrets, which would be visible in its environment
 * @param isShown its output goes to the terminal too
 */
export function forkPart(
  script: string,
  env: Record<string, string>,
  logPath: string,
  { detached = false, input = "", isShown = false }: { detached?: boolean; input?: string; isShown?: boolean } = {},
): ChildProcess {
  const child = fork(script, [], {
    env: { NODE_COMPILE_CACHE: resolve("dist/compiled"), ...process.env, ...env },
    stdio: ["pipe", "pipe", "pipe", "ipc"],
    execArgv: ["--disable-warning=ExperimentalWarning"],
    detached,
  });
  child.stdin?.on("error", () => {}); // already ended: its exit is handled elsewhere
  child.stdin?.end(input);
  const logFile = createWriteStream(logPath, { flags: "a" });
  child.stdout?.pipe(logFile, { end: false });
  child.stderr?.pipe(logFile, { end: false });
  if (isShown) {
    child.stdout?.pipe(process.stdout, { end: false });
    child.stderr?.pipe(process.stderr, { end: false });
  }
  child.once("exit", () => logFile.end());
  return child;
}
