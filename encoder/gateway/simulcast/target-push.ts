/**
 * Pushes to one target, reconnecting until the broadcast ends. The parent makes the connection and starts a child process only once it is
 * established, so an unreachable target costs a socket but no process.
 */
import type { ChildProcess } from "node:child_process";
import type { Socket } from "node:net";
import { fileURLToPath } from "node:url";
import { ProcessNotStarted, startMediaProcess } from "../../platform/media-process.ts";
import { Supervisor } from "../../platform/supervisor.ts";
import type { Unit } from "../source/container-units.ts";
import type { PushMessage, PushPlan } from "./child.ts";
import { dial, DialError } from "./dial.ts";
import { PushFeed } from "./push-feed.ts";
import type { PushSlots } from "./slots.ts";
import {
  destinationOf,
  retryAfterMs,
  type SimulcastFailure,
  type SimulcastReason,
  type SimulcastState,
  type SimulcastTarget,
} from "./target.ts";

const CHILD_PATH = fileURLToPath(new URL("./child.ts", import.meta.url));
/** A connection that lasted this long resets the failure count. */
const STABLE_MS = 30_000;
const CLOSE_TIMEOUT_MS = 3000;
const HEAP_MIB = 128;
const MAX_RESIDENT_BYTES = 512 << 20;
const WATCH_MS = 1000;

export interface TargetOptions {
  allowPrivateNetwork: boolean;
  timeoutMs: number;
  queueBytes: number;
  slots: PushSlots;
  /** Container head for a reader that starts midway. */
  head(): Buffer[];
  onState(state: SimulcastState, failure?: SimulcastFailure): void;
}

export class TargetPush {
  readonly #target: SimulcastTarget;
  readonly #options: TargetOptions;
  readonly #environment = trustedCertificates();
  #child: ChildProcess | null = null;
  readonly #feed: PushFeed;
  #state: SimulcastState | null = null;
  #reason: SimulcastReason | undefined;
  #failures = 0;
  #activeAtMs = 0;
  #retry: NodeJS.Timeout | undefined;
  #dialing = new AbortController();
  #over: Promise<void> = Promise.resolve();
  #isEnding = false;

  constructor(target: SimulcastTarget, options: TargetOptions) {
    this.#target = target;
    this.#options = options;
    this.#feed = new PushFeed(() => options.head());
    this.#start();
  }

  push(unit: Unit): void {
    if (!this.#isEnding) this.#feed.push(unit);
  }

  /** Never rejects. */
  async end(): Promise<void> {
    if (!this.#isEnding) {
      this.#isEnding = true;
      clearTimeout(this.#retry);
      this.#dialing.abort();
      const child = this.#child;
      child?.stdin?.end();
      const timeout = setTimeout(() => child?.kill("SIGKILL"), this.#state === "active" ? CLOSE_TIMEOUT_MS : 0);
      await this.#over;
      clearTimeout(timeout);
      this.#report("idle");
    }
    await this.#over;
  }

  #start(): void {
    if (this.#state !== "failed") this.#report("connecting");
    this.#feed.open();
    this.#over = this.#attempt().then((failure) => this.#ended(failure));
  }

  /** Runs one connection to its end. Never rejects. */
  async #attempt(): Promise<SimulcastFailure> {
    const { slots } = this.#options;
    let socket: Socket | undefined;
    try {
      socket = await this.#connect();
      if (!slots.take()) throw new DialError("overloaded", "All push slots of this gateway are in use.");
      try {
        return await this.#publish(socket);
      } finally {
        slots.release();
      }
    } catch (error) {
      if (error instanceof DialError) return { reason: error.reason, detail: error.message };
      if (error instanceof ProcessNotStarted) return { reason: "overloaded", detail: error.message };
      return { reason: "crashed", detail: error instanceof Error ? error.name : "" };
    } finally {
      socket?.destroy();
      this.#child = null;
      this.#feed.close();
    }
  }

  /** @throws {DialError} */
  async #connect(): Promise<Socket> {
    const to = destinationOf(this.#target.url);
    if (to === null) throw new DialError("malformed_url", "The target's URL is not an RTMP URL with an application.");
    const { allowPrivateNetwork, timeoutMs } = this.#options;
    const dialing = new AbortController();
    this.#dialing = dialing;
    const late = setTimeout(() => dialing.abort(), timeoutMs);
    try {
      return await dial(to, allowPrivateNetwork, dialing.signal);
    } finally {
      clearTimeout(late);
    }
  }

  /** Passes the connection and the broadcast to a child process. @returns how it ended */
  #publish(socket: Socket): Promise<SimulcastFailure> {
    const child = startMediaProcess(CHILD_PATH, {
      stdio: ["pipe", "ignore", "pipe", "ipc", socket],
      heapMiB: HEAP_MIB,
      environment: this.#environment,
    });
    socket.destroy(); // the child holds its own descriptor
    const { url, streamKey } = this.#target;
    const { timeoutMs, queueBytes } = this.#options;
    const crashed: SimulcastFailure = { reason: "crashed", detail: "The push process exited unexpectedly." };
    const supervisor = new Supervisor<SimulcastFailure>(child, {
      watchMs: WATCH_MS,
      rssBytes: MAX_RESIDENT_BYTES,
      tooLarge: crashed,
    });
    child.on("message", (message: PushMessage) => {
      if (message.type !== "active") {
        // The child cannot exit while libav waits for more of the source.
        supervisor.end(message.type === "failed" ? message : crashed);
      } else {
        this.#activeAtMs = performance.now();
        this.#report("active");
      }
    });
    child.stdin?.on("error", () => {}); // the supervisor reports the child's exit
    child.send({ url, streamKey, timeoutMs, queueBytes } satisfies PushPlan, () => {});
    this.#child = child;
    this.#feed.attach(child);
    if (this.#isEnding) child.kill("SIGKILL");
    return supervisor.watch().then(({ outcome }) => outcome ?? crashed);
  }

  #ended({ reason, detail }: SimulcastFailure): void {
    if (this.#isEnding) return;
    const wasActive = this.#state === "active";
    if (wasActive && performance.now() - this.#activeAtMs > STABLE_MS) this.#failures = 0;
    this.#failures += 1;
    this.#report(wasActive ? "disconnected" : "failed", { reason, detail });
    if (reason === "unsupported" || reason === "malformed_url") return; // a retry would fail the same way
    this.#retry = setTimeout(() => this.#start(), retryAfterMs(this.#failures));
  }

  /** Reports a state change. A repeated failure with the same reason is not reported again. */
  #report(state: SimulcastState, failure?: SimulcastFailure): void {
    if (state === this.#state && failure?.reason === this.#reason) return;
    this.#state = state;
    this.#reason = failure?.reason;
    this.#options.onState(state, failure);
  }
}

/** Passes the operator's additional certificate authorities to the child, which verifies the target's certificate. */
function trustedCertificates(): Record<string, string> {
  const { NODE_EXTRA_CA_CERTS } = process.env;
  return NODE_EXTRA_CA_CERTS === undefined ? {} : { NODE_EXTRA_CA_CERTS };
}
