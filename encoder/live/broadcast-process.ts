/** A broadcast's child process: fed with its bytes, watched while it runs, killed by its limits. */
import type { KeyPlace, RunStart, RunState } from "./run-state.ts";
import type { ChildProcess } from "node:child_process";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { fileURLToPath } from "node:url";
import { startMediaProcess } from "../media-process.ts";
import { Supervisor } from "../supervisor.ts";
import type { JobFailureCode } from "../../protocol/jobs.ts";
import type { BroadcastEnd } from "./broadcast.ts";
import { Outbox, type OutboxReceiver } from "./outbox.ts";
import type { BroadcastPlan, DroppedRung, PartFacts, Pulse, RunOpening, StartedFacts } from "./output.ts";
import { type ChildOrder, MessageReader, type WireMessage } from "./wire.ts";

const CHILD_PATH = fileURLToPath(new URL("./child.ts", import.meta.url));
const HEAP_MIB = 512;
const WATCH_MS = 500;
/** libav's calls each hold one of libuv's threads: the reader, the decoder, a filter and every encoder of a ladder at the same time. */
export const LIBUV_THREADS = 12;

export interface BroadcastLimits {
  /** Without a step forward for so long, while there is something to read, libav hangs. */
  silenceMs: number;
  /** Resident memory of the child. */
  rssBytes: number;
  /** Parts that wait for a slow receiver. */
  outboxBytes: number;
}
export const BROADCAST_LIMITS: BroadcastLimits = { silenceMs: 10_000, rssBytes: 1.5 * 2 ** 30, outboxBytes: 64 << 20 };

export type BroadcastOutcome =
  | { type: "ended"; end: BroadcastEnd } // the source ended; everything is in whole segments and has been received
  | { type: "failure"; code: JobFailureCode; message: string }
  | { type: "stopped" }
  | { type: "unable"; reason: string } // to go on with the run that another encoder died in
  | { type: "crashed"; how: string };

export interface BroadcastReceiver extends OutboxReceiver {
  onStarted(facts: StartedFacts): void;
  /** Where a run begins; all that came before it has been received or given up. A rejection ends the broadcast. */
  onOpening(opening: RunOpening): Promise<RunStart>;
  onRungDropped(dropped: DroppedRung): void;
  onThumbnail(bytes: Buffer, capturedAtMs: number): void;
  onThumbnailFailed?(reason: string): void;
  onPulse(pulse: Pulse): void;
  /** It is on its way to `onPart`, which may take a while. */
  onPartMade?(facts: PartFacts): void;
  onRun?(state: RunState | null): void;
  onKey?(place: KeyPlace): void;
}

/** @throws {ProcessNotStarted} */
export const startBroadcastChild = (): ChildProcess =>
  startMediaProcess(CHILD_PATH, {
    stdio: ["pipe", "pipe", "pipe", "ipc"],
    heapMiB: HEAP_MIB,
    environment: { UV_THREADPOOL_SIZE: String(LIBUV_THREADS) },
  });

/**
 * Resolves when the child has ended, however that was, and what it made has been received or given up.
 *
 * @param stop kills it @param final says before the bytes end that the broadcaster does not come back
 */
export async function runBroadcast(
  child: ChildProcess,
  bytes: AsyncIterable<Uint8Array>,
  plan: BroadcastPlan,
  receiver: BroadcastReceiver,
  stop: AbortSignal,
  limits: BroadcastLimits = BROADCAST_LIMITS,
  final: AbortSignal | null = null,
): Promise<BroadcastOutcome> {
  const outbox = new Outbox(receiver, limits.outboxBytes);
  const life = { aliveMs: performance.now(), steps: -1 };
  const supervisor = new Supervisor<BroadcastOutcome>(child, {
    watchMs: WATCH_MS,
    rssBytes: limits.rssBytes,
    tooLarge: exceeded("The broadcast needs too much memory."),
    verdict: () =>
      performance.now() - life.aliveMs > limits.silenceMs ? exceeded("The encoder came to a standstill.") : null,
    stop: { signal: stop, outcome: { type: "stopped" } },
  });
  const order = (message: ChildOrder) => child.send(message, () => {}); // a child that is gone already says so by its end
  const place = async (opening: RunOpening) => {
    await outbox.settled();
    order({ start: await receiver.onOpening(opening) });
  };
  const hear = (message: WireMessage, data: Buffer) => {
    if (message.type === "started") receiver.onStarted(message.facts);
    else if (message.type === "opening")
      place(message.opening).catch((error: unknown) =>
        supervisor.end({ type: "crashed", how: `not placed: ${String(error)}` }),
      );
    else if (message.type === "init") outbox.putInit(message.rendition, message.version, data, message.facts);
    else if (message.type === "part") {
      receiver.onPartMade?.(message.facts);
      outbox.putPart(message.facts, data);
    } else if (message.type === "run") receiver.onRun?.(message.state);
    else if (message.type === "key") receiver.onKey?.(message.place);
    else if (message.type === "dropped") receiver.onRungDropped(message.dropped);
    else if (message.type === "thumbnail") receiver.onThumbnail(data, message.capturedAtMs);
    else if (message.type === "thumbnail-failed") receiver.onThumbnailFailed?.(message.reason);
    else if (message.type === "pulse") {
      const { steps, isWaiting } = message.pulse;
      if (steps !== life.steps || isWaiting) Object.assign(life, { steps, aliveMs: performance.now() });
      receiver.onPulse(message.pulse);
    } else supervisor.settle(message);
  };
  const reader = new MessageReader();
  child.stdout!.on("data", (chunk: Buffer) => {
    try {
      for (const { message, bytes: data } of reader.push(chunk)) hear(message, data);
    } catch (error) {
      supervisor.end({ type: "crashed", how: error instanceof Error ? error.message : String(error) });
    }
  });
  const watched = supervisor.watch();
  order({ plan });
  const onFinal = () => order({ isFinal: true });
  final?.addEventListener("abort", onFinal, { once: true });
  if (final?.aborted === true) onFinal();
  // A source that breaks ends the child's input, and so does a child that does not want any more of it.
  const source = Readable.from(bytes, { objectMode: false });
  pipeline(source, child.stdin!).catch(() => child.stdin!.destroy());

  const { outcome, how } = await watched;
  final?.removeEventListener("abort", onFinal);
  source.destroy(); // not waited for: a broadcaster that says nothing may never let go
  await outbox.settled();
  return outcome ?? { type: "crashed", how };
}

const exceeded = (message: string): BroadcastOutcome => ({ type: "failure", code: "source_exceeds_limits", message });
