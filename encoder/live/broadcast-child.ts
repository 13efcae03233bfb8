/** A broadcast's child process: media on stdin, orders over IPC, messages on stdout (`wire.ts`). */
import type { RunStart } from "./run-state.ts";
import { Log } from "node-av/lib";
import { AV_LOG_QUIET } from "node-av/constants";
import { errorFields } from "../../protocol/error-fields.ts";
import { JobError } from "../platform/errors.ts";
import { CannotContinue } from "./continuation.ts";
import { encodeBroadcast, type Ending } from "./broadcast.ts";
import type { BroadcastListener, BroadcastPlan } from "./output.ts";
import type { OverloadPolicy } from "./overload.ts";
import { type ChildOrder, encodeMessage, type WireMessage } from "./wire.ts";

/** Encodes one broadcast, then exits. */
export function serveBroadcast(overload: Pick<OverloadPolicy, "decide">): void {
  Log.setLevel(AV_LOG_QUIET);
  process.on("message", (order: ChildOrder) => {
    if ("plan" in order) void encode(order.plan, overload);
    else if ("start" in order) place?.(order.start);
    else ending.isFinal = true;
  });
}

const ending: Ending = { isFinal: false };
/** Resolves the pending `opening`. */
let place: ((start: RunStart) => void) | undefined;

async function encode(plan: BroadcastPlan, overload: Pick<OverloadPolicy, "decide">): Promise<void> {
  const last = await encodeBroadcast(process.stdin, plan, listener, overload, ending).then(
    (end): WireMessage => ({ type: "ended", end }),
    (error: unknown): WireMessage => failureOf(error),
  );
  process.stdout.write(encodeMessage(last), () => process.exit(0));
}

const send = (message: WireMessage, bytes?: Buffer) => void process.stdout.write(encodeMessage(message, bytes));

/** Writes to a pipe are synchronous (Node, "process I/O"), so nothing queues here; the gateway always reads. */
const listener: BroadcastListener = {
  onStarted: (facts) => send({ type: "started", facts }),
  onOpening: (opening) => {
    const answered = new Promise<RunStart>((resolve) => (place = resolve));
    send({ type: "opening", opening });
    return answered;
  },
  onInit: (rendition, version, bytes, facts) => send({ type: "init", rendition, version, facts }, bytes),
  onPart: (facts, bytes) => send({ type: "part", facts }, bytes),
  onRungDropped: (dropped) => send({ type: "dropped", dropped }),
  onThumbnail: (bytes, capturedAtMs) => send({ type: "thumbnail", capturedAtMs }, bytes),
  onThumbnailFailed: (reason) => send({ type: "thumbnail-failed", reason: reason.slice(0, 500) }),
  onPulse: (pulse) => send({ type: "pulse", pulse }),
  onWarnings: (warnings) => send({ type: "warnings", warnings }),
  onRun: (state) => send({ type: "run", state }),
  onKey: (place) => send({ type: "key", place }),
};

function failureOf(error: unknown): WireMessage {
  if (error instanceof CannotContinue) return { type: "cannot-continue", reason: error.message };
  if (error instanceof JobError) return { type: "failure", code: error.code, message: error.message.slice(0, 1000) };
  const message = "The encoder failed on this broadcast.";
  return { type: "failure", code: "encoder_failed", message, unexpected: errorFields(error) };
}
