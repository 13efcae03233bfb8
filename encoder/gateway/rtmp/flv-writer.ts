/** Writes the messages of a broadcast as FLV (Adobe FLV 10.1, E.2 to E.4). Pure. */
import { PendingBytes } from "../../platform/pending-bytes.ts";
import { isFrame } from "../source/flv-packets.ts";

/** With sound and picture, and the length of the tag before the first. */
const FILE_HEADER = Buffer.from([0x46, 0x4c, 0x56, 1, 5, 0, 0, 0, 9, 0, 0, 0, 0]);
const TAG_HEADER_BYTES = 11;
/** Time of the first frame. Others may be earlier by their timestamps, and FLV has no negative times. */
const START_MS = 60_000;

/**
 * Times are counted from the first frame of the broadcast, modulo 2^32. RTMP's timestamps begin anywhere and continue with 0 behind
 * 0xffffffff; those written here do so only after 49 days, whatever clock the encoder has.
 */
export class FlvWriter {
  readonly #pending = new PendingBytes();
  #firstFrameMs: number | null = null;
  #hasBegun = false;

  /** @param timestampMs of RTMP, modulo 2^32 */
  write(type: number, timestampMs: number, data: Buffer): void {
    // Encoders stamp metadata and configurations with 0 when their clock is far from it.
    if (isFrame(type, data)) this.#firstFrameMs ??= timestampMs;
    const flvMs = this.#firstFrameMs === null ? START_MS : (timestampMs - this.#firstFrameMs + START_MS) >>> 0;
    const header = Buffer.allocUnsafe(TAG_HEADER_BYTES);
    header[0] = type;
    header.writeUIntBE(data.length, 1, 3);
    header.writeUIntBE(flvMs & 0xffffff, 4, 3);
    header[7] = flvMs >>> 24;
    header.writeUIntBE(0, 8, 3);
    const trailer = Buffer.allocUnsafe(4);
    trailer.writeUInt32BE(TAG_HEADER_BYTES + data.length);
    // Not written earlier: a broadcaster that sends nothing costs no encoder.
    if (!this.#hasBegun) this.#pending.append(FILE_HEADER);
    this.#hasBegun = true;
    for (const part of [header, data, trailer]) this.#pending.append(part);
  }

  /** @returns what has been written since; null = nothing */
  take(): Buffer | null {
    return this.#pending.length === 0 ? null : this.#pending.take();
  }
}
