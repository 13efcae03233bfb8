/** Runs a broadcast's encoder in a child process: feeds it the source bytes, monitors it and enforces its limits. */
import type { KeyPlace, RunStart, RunState } from "./run-state.ts";
import type { ChildProcess } from "node:child_process";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { fileURLToPath } from "node:url";
import { LIBAV_ENVIRONMENT, startMediaProcess } from "../platform/media-process.ts";
import { Supervisor } from "../platform/supervisor.ts";
import { type ErrorFields, errorFields } from "../../protocol/error-fields.ts";
import type { JobFailureCode } from "../../protocol/jobs.ts";
import type { IngestWarning } from "../../protocol/ingest-warning.ts";
import type { BroadcastEnd } from "./broadcast.ts";
import { Outbox, type OutboxReceiver } from "./outbox.ts";
import type { BroadcastPlan, DroppedRung, PartFacts, Pulse, RunOpening, StartedFacts } from "./output.ts";
import { type ChildOrder, MessageReader, type WireMessage } from "./wire.ts";

const CHILD_PATH = fileURLToPath(new URL("./child.ts", import.meta.url));
const HEAP_MIB = 512;
const WATCH_MS = 500;

export interface BroadcastLimits {
  /** With input available and no progress for this long, libav is considered hung. */
  silenceMs: number;
  /** Resident memory of the child. */
  rssBytes: number;
  /** Parts queued for a slow receiver. */
  outboxBytes: number;
}
export const BROADCAST_LIMITS: BroadcastLimits = { silenceMs: 10_000, rssBytes: 1.5 * 2 ** 30, outboxBytes: 64 << 20 };

export type BroadcastOutcome =
  | { type: "ended"; end: BroadcastEnd } // the source ended; all media is in complete segments and has been received
  | { type: "failure"; code: JobFailureCode; message: string; unexpected?: ErrorFields } // `unexpected`: an exception, for the log
  | { type: "stopped" }
  | { type: "cannot-continue"; reason: string } // the run of the encoder that crashed cannot be continued
  | { type: "crashed"; how: string; unexpected?: ErrorFields };

export interface BroadcastReceiver extends OutboxReceiver {
  onStarted(facts: StartedFacts): void;
  /** Returns the start of a run. Called after all earlier output has been received or dropped. A rejection ends the broadcast. */
  onOpening(opening: RunOpening): Promise<RunStart>;
  onRungDropped(dropped: DroppedRung): void;
  onThumbnail(bytes: Buffer, capturedAtMs: number): void;
  onThumbnailFailed(reason: string): void;
  onPulse(pulse: Pulse): void;
  onWarnings(warnings: IngestWarning[]): void;
  /** Called when a part is queued for `onPart`, which may follow much later. */
  onPartMade?(facts: PartFacts): void;
  onRun?(state: RunState | null): void;
  onKey?(place: KeyPlace): void;
}

/** @throws {ProcessNotStarted} */
export const startBroadcastChild = (path = CHILD_PATH): ChildProcess =>
  startMediaProcess(path, {
    stdio: ["pipe", "pipe", "pipe", "ipc"],
    heapMiB: HEAP_MIB,
    environment: LIBAV_ENVIRONMENT,
  });

/**
 * Resolves when the child has exited for any reason and its output has been received or dropped.
 *
 * @param stop kills the child @param final aborted before the end of `bytes` when the broadcaster will not reconnect
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
  const progress = { aliveMs: performance.now(), steps: -1 };
  const supervisor = new Supervisor<BroadcastOutcome>(child, {
    watchMs: WATCH_MS,
    rssBytes: limits.rssBytes,
    tooLarge: exceeded("The broadcast needs too much memory."),
    verdict: () =>
      performance.now() - progress.aliveMs > limits.silenceMs ? exceeded("The encoder stopped making progress.") : null,
    stop: { signal: stop, outcome: { type: "stopped" } },
  });
  const order = (message: ChildOrder) => child.send(message, () => {}); // the supervisor reports a child that has already exited
  const place = async (opening: RunOpening) => {
    await outbox.settled();
    order({ start: await receiver.onOpening(opening) });
  };
  const handle = (message: WireMessage, data: Buffer) => {
    if (message.type === "started") receiver.onStarted(message.facts);
    else if (message.type === "opening")
      place(message.opening).catch((error: unknown) =>
        supervisor.end({ type: "crashed", how: `run start not obtained: ${String(error)}` }),
      );
    else if (message.type === "init") outbox.putInit(message.rendition, message.version, data, message.facts);
    else if (message.type === "part") {
      receiver.onPartMade?.(message.facts);
      outbox.putPart(message.facts, data);
    } else if (message.type === "run") receiver.onRun?.(message.state);
    else if (message.type === "key") receiver.onKey?.(message.place);
    else if (message.type === "dropped") receiver.onRungDropped(message.dropped);
    else if (message.type === "thumbnail") receiver.onThumbnail(data, message.capturedAtMs);
    else if (message.type === "thumbnail-failed") receiver.onThumbnailFailed(message.reason);
    else if (message.type === "warnings") receiver.onWarnings(message.warnings);
    else if (message.type === "pulse") {
      const { steps, isWaiting } = message.pulse;
      if (steps !== progress.steps || isWaiting) Object.assign(progress, { steps, aliveMs: performance.now() });
      receiver.onPulse(message.pulse);
    } else supervisor.settle(message);
  };
  const reader = new MessageReader();
  child.stdout!.on("data", (chunk: Buffer) => {
    try {
      for (const { message, bytes: data } of reader.push(chunk)) handle(message, data);
    } catch (error) {
      const unexpected = errorFields(error);
      supervisor.end({ type: "crashed", how: unexpected.error, unexpected });
    }
  });
  const watched = supervisor.watch();
  order({ plan });
  const onFinal = () => order({ isFinal: true });
  final?.addEventListener("abort", onFinal, { once: true });
  if (final?.aborted === true) onFinal();
  // The child's input ends when the source fails or when the child closes its stdin.
  const source = Readable.from(bytes, { objectMode: false });
  pipeline(source, child.stdin!).catch(() => child.stdin!.destroy());

  const { outcome, how } = await watched;
  final?.removeEventListener("abort", onFinal);
  source.destroy(); // not awaited: a silent broadcaster may never close
  await outbox.settled();
  return outcome ?? { type: "crashed", how };
}

const exceeded = (message: string): BroadcastOutcome => ({ type: "failure", code: "source_exceeds_limits", message });
