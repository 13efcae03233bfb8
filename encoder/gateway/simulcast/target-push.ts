/** One target's life: child processes one after another, each with a connection, until the broadcast ends. */
import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { residentBytes } from "../../child-process.ts";
import type { Unit } from "../container-units.ts";
import type { PushMessage, PushPlan } from "./child.ts";
import { retryAfterMs, type SimulcastReason, type SimulcastState, type SimulcastTarget } from "./target.ts";

const CHILD_PATH = fileURLToPath(new URL("./child.ts", import.meta.url));
/** A connection that held so long was a good one: the next failure is the first again. */
const GOOD_MS = 30_000;
/** A child always reads; one that does not is stuck. */
const MAX_UNREAD_BYTES = 16 << 20;
const LAST_WORDS_MS = 3000;
const MAX_RESIDENT_BYTES = 512 << 20;
const WATCH_MS = 1000;

export interface TargetOptions {
  allowPrivateNetwork: boolean;
  patienceMs: number;
  queueBytes: number;
  /** What a reader that comes midway needs first. */
  head(): Buffer[];
  onState(state: SimulcastState, reason?: SimulcastReason, detail?: string): void;
}

export class TargetPush {
  readonly #target: SimulcastTarget;
  readonly #options: TargetOptions;
  #child: ChildProcess | null = null;
  /** The child has been given the head and a place to begin at. */
  #isFed = false;
  #state: SimulcastState | null = null;
  #reason: SimulcastReason | undefined;
  #failures = 0;
  #activeAtMs = 0;
  #retry: NodeJS.Timeout | undefined;
  #over: Promise<void> = Promise.resolve();
  #isEnding = false;

  constructor(target: SimulcastTarget, options: TargetOptions) {
    this.#target = target;
    this.#options = options;
    this.#start();
  }

  push(unit: Unit): void {
    const stdin = this.#child?.stdin;
    if (stdin == null || stdin.destroyed || this.#isEnding) return;
    if (!this.#isFed) {
      if (!unit.isEntry) return;
      for (const bytes of this.#options.head()) stdin.write(bytes);
      this.#isFed = true;
    }
    stdin.write(unit.bytes);
    if (stdin.writableLength > MAX_UNREAD_BYTES) this.#child?.kill("SIGKILL");
  }

  /** Never rejects. */
  async end(): Promise<void> {
    if (!this.#isEnding) {
      this.#isEnding = true;
      clearTimeout(this.#retry);
      const child = this.#child;
      child?.stdin?.end();
      const giveUp = setTimeout(() => child?.kill("SIGKILL"), this.#state === "active" ? LAST_WORDS_MS : 0);
      await this.#over;
      clearTimeout(giveUp);
      this.#tell("idle");
    }
    await this.#over;
  }

  #start(): void {
    if (this.#state !== "failed") this.#tell("connecting");
    const child = fork(CHILD_PATH, [], {
      env: environment(),
      serialization: "json",
      stdio: ["pipe", "ignore", "ignore", "ipc"],
      execArgv: ["--max-old-space-size=128"],
    });
    this.#child = child;
    this.#isFed = false;
    const { url, streamKey } = this.#target;
    const { allowPrivateNetwork, patienceMs, queueBytes } = this.#options;
    let last: PushMessage | undefined;
    child.on("message", (message: PushMessage) => {
      if (message.type !== "active") {
        last = message;
        child.kill("SIGKILL"); // it cannot exit by itself while libav waits for more of the source
      } else {
        this.#activeAtMs = performance.now();
        this.#tell("active");
      }
    });
    child.stdin?.on("error", () => {}); // its end says so too
    child.send({ url, streamKey, allowPrivateNetwork, patienceMs, queueBytes } satisfies PushPlan, () => {});
    const watch = setInterval(
      () => void residentBytes(child.pid).then((bytes) => bytes > MAX_RESIDENT_BYTES && child.kill("SIGKILL")),
      WATCH_MS,
    );
    this.#over = new Promise((resolve) => {
      const onEnd = () => {
        clearInterval(watch);
        this.#child = null;
        this.#ended(last);
        resolve();
      };
      child.once("exit", onEnd);
      child.once("error", () => child.pid === undefined && onEnd());
    });
  }

  #ended(last: PushMessage | undefined): void {
    if (this.#isEnding) return;
    const failure =
      last?.type === "failed" ? last : { reason: "crashed" as const, detail: "Its process has ended by itself." };
    const wasActive = this.#state === "active";
    if (wasActive && performance.now() - this.#activeAtMs > GOOD_MS) this.#failures = 0;
    this.#failures += 1;
    this.#tell(wasActive ? "disconnected" : "failed", failure.reason, failure.detail);
    if (failure.reason === "unsupported" || failure.reason === "malformed_url") return; // it would be the same again
    this.#retry = setTimeout(() => this.#start(), retryAfterMs(this.#failures));
  }

  /** The same failure again is not told again. */
  #tell(state: SimulcastState, reason?: SimulcastReason, detail?: string): void {
    if (state === this.#state && reason === this.#reason) return;
    this.#state = state;
    this.#reason = reason;
    this.#options.onState(state, reason, detail);
  }
}

/** No secret but the target's own gets into the child. */
function environment(): NodeJS.ProcessEnv {
  const { PATH, NODE_EXTRA_CA_CERTS } = process.env;
  return { PATH: PATH ?? "", ...(NODE_EXTRA_CA_CERTS === undefined ? {} : { NODE_EXTRA_CA_CERTS }) };
}
