/**
 * From the child of a broadcast to the gateway, over a pipe: for each message the length of its JSON and of its bytes (u32, big-endian),
 * then both.
 */
import type { KeyPlace, RunStart, RunState } from "./run-state.ts";
import type { BroadcastEnd } from "./broadcast.ts";
import type { BroadcastPlan, DroppedRung, InitFacts, PartFacts, Pulse, RunOpening, StartedFacts } from "./output.ts";
import type { JobFailureCode } from "../../protocol/jobs.ts";

/** From the gateway to the child, over IPC: the plan once, an answer to each `opening`, and that the broadcaster does not come back. */
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
  | { type: "run"; state: RunState | null }
  | { type: "key"; place: KeyPlace }
  | { type: "unable"; reason: string } // to go on with the run that another encoder died in
  | { type: "ended"; end: BroadcastEnd }
  | { type: "failure"; code: JobFailureCode; message: string };

const HEADER_BYTES = 8;
/** A child that says it sends more than this has lost its mind. */
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

  /** @returns what is whole now @throws {Error} when it is no message */
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
    if (total > MAX_MESSAGE_BYTES) throw new Error("The child's output is no message.");
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
