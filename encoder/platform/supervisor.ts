/** Monitors a child process, kills it when it exceeds a limit, and reports how it ended. */
import type { ChildProcess } from "node:child_process";
import { readFile } from "node:fs/promises";

const PAGE_BYTES = 4096;
/** Number of the last stderr chunks kept for the log. */
const STDERR_PIECES = 20;
const STDERR_PIECE_CHARACTERS = 2000;

export interface Supervision<Outcome> {
  watchMs: number;
  /** Resident memory. */
  rssBytes: number;
  /** Outcome of a child that uses more memory. */
  tooLarge: Outcome;
  /** Called every `watchMs`. @returns the outcome of a child that must end now; null while it may continue */
  verdict?: () => Outcome | null;
  /** Ends the child. */
  stop?: { signal: AbortSignal; outcome: Outcome };
}

export class Supervisor<Outcome> {
  readonly #child: ChildProcess;
  readonly #supervision: Supervision<Outcome>;
  readonly #stderr: string[] = [];
  #outcome: Outcome | undefined;

  constructor(child: ChildProcess, supervision: Supervision<Outcome>) {
    this.#child = child;
    this.#supervision = supervision;
    child.stderr?.on("data", (chunk: Buffer) => {
      this.#stderr.push(chunk.toString("utf8").slice(0, STDERR_PIECE_CHARACTERS));
      if (this.#stderr.length > STDERR_PIECES) this.#stderr.shift();
    });
  }

  /** Sets the outcome to return when the child has ended. Only the first call counts. */
  settle(outcome: Outcome): void {
    this.#outcome ??= outcome;
  }

  /** Kills the child. */
  end(outcome: Outcome): void {
    this.settle(outcome);
    this.#child.kill("SIGKILL");
  }

  /**
   * Resolves when the child has ended and all its output has been read.
   *
   * @returns the outcome, or for a child that ended without one, its signal or exit code and its last stderr output
   */
  async watch(): Promise<{ outcome: Outcome; how?: never } | { outcome: null; how: string }> {
    const { watchMs, stop } = this.#supervision;
    const onStop = () => this.end(stop!.outcome);
    stop?.signal.addEventListener("abort", onStop, { once: true });
    if (stop?.signal.aborted === true) onStop();
    const timer = setInterval(() => this.#check(), watchMs);
    const end = await endOf(this.#child);
    clearInterval(timer);
    stop?.signal.removeEventListener("abort", onStop);
    if (this.#outcome !== undefined) return { outcome: this.#outcome };
    return { outcome: null, how: `${end} ${this.#stderr.join("").trim()}`.trim() };
  }

  #check(): void {
    const { rssBytes, tooLarge, verdict } = this.#supervision;
    const due = verdict?.() ?? null;
    if (due !== null) return this.end(due);
    void residentBytes(this.#child.pid).then((bytes) => bytes > rssBytes && this.end(tooLarge));
  }
}

/** Resolves with the signal or exit code when a child has ended and its pipes are closed; with a message when it never started. */
function endOf(child: ChildProcess): Promise<string> {
  const { exitCode, signalCode } = child;
  if (exitCode !== null || signalCode !== null) return Promise.resolve(`${signalCode ?? exitCode}`);
  return new Promise((resolve) => {
    child.once("close", (code, signal) => resolve(`${signal ?? code}`));
    child.once("error", (error) => child.pid === undefined && resolve(error.message));
  });
}

/** 0 without /proc, and for a process that has exited. */
async function residentBytes(pid: number | undefined): Promise<number> {
  const statm = await readFile(`/proc/${pid}/statm`, "utf8").catch(() => "");
  return Number(statm.split(" ")[1] ?? 0) * PAGE_BYTES;
}
