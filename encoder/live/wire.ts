/**
 * Messages from a broadcast's child process to the gateway, over a pipe. Each message is the length of its JSON, the length of its bytes
 * (both u32, big-endian), the JSON and the bytes.
 */
import type { KeyPlace, RunStart, RunState } from "./run-state.ts";
import type { BroadcastEnd } from "./broadcast.ts";
import type { BroadcastPlan, DroppedRung, InitFacts, PartFacts, Pulse, RunOpening, StartedFacts } from "./output.ts";
import type { ErrorFields } from "../../protocol/error-fields.ts";
import type { JobFailureCode } from "../../protocol/jobs.ts";
import type { IngestWarning } from "../../protocol/ingest-warning.ts";

/** Orders from the gateway to the child, over IPC: the plan once, an answer to each `opening`, and notice that the broadcaster will not reconnect. */
export type ChildOrder = { plan: BroadcastPlan } | { start: RunStart } | { isFinal: true };

export type WireMessage =
  | { type: "opening"; opening: RunOpening } // nothing follows until it is answered
  | { type: "started"; facts: StartedFacts }
  | { type: "init"; rendition: string; version: number; facts: InitFacts } // bytes
  | { type: "part"; facts: PartFacts } // bytes
  | { type: "dropped"; dropped: DroppedRung }
  | { type: "thumbnail"; capturedAtMs: number } // bytes
  | { type: "thumbnail-failed"; reason: string }
  | { type: "pulse"; pulse: Pulse }
  | { type: "warnings"; warnings: IngestWarning[] } // the whole list
  | { type: "run"; state: RunState | null }
  | { type: "key"; place: KeyPlace }
  | { type: "cannot-continue"; reason: string } // the run of the encoder that crashed cannot be continued
  | { type: "ended"; end: BroadcastEnd }
  | { type: "failure"; code: JobFailureCode; message: string; unexpected?: ErrorFields }; // `unexpected`: an exception, for the log

const HEADER_BYTES = 8;
/** Larger messages are treated as corrupt. */
const MAX_MESSAGE_BYTES = 64 << 20;

export function encodeMessage(message: WireMessage, bytes: Buffer = Buffer.alloc(0)): Buffer {
  const json = Buffer.from(JSON.stringify(message));
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeUInt32BE(json.length, 0);
  header.writeUInt32BE(bytes.length, 4);
  return Buffer.concat([header, json, bytes]);
}

export class MessageReader {
  #chunks: Buffer[] = [];
  #length = 0;

  /** @returns the messages completed by this chunk @throws {Error} when the data is not a message */
  push(chunk: Buffer): { message: WireMessage; bytes: Buffer }[] {
    this.#chunks.push(chunk);
    this.#length += chunk.length;
    const found: { message: WireMessage; bytes: Buffer }[] = [];
    for (let next = this.#next(); next !== null; next = this.#next()) found.push(next);
    return found;
  }

  #next(): { message: WireMessage; bytes: Buffer } | null {
    if (this.#length < HEADER_BYTES) return null;
    if (this.#chunks[0]!.length < HEADER_BYTES) this.#chunks = [Buffer.concat(this.#chunks)];
    const [jsonBytes, dataBytes] = [this.#chunks[0]!.readUInt32BE(0), this.#chunks[0]!.readUInt32BE(4)];
    const total = HEADER_BYTES + jsonBytes + dataBytes;
    if (total > MAX_MESSAGE_BYTES) throw new Error("The child's output is not a valid message.");
    if (this.#length < total) return null;
    const all = Buffer.concat(this.#chunks);
    this.#chunks = all.length > total ? [all.subarray(total)] : [];
    this.#length -= total;
    const json = all.subarray(HEADER_BYTES, HEADER_BYTES + jsonBytes);
    return {
      message: JSON.parse(json.toString("utf8")) as WireMessage,
      bytes: all.subarray(HEADER_BYTES + jsonBytes, total),
    };
  }
}
