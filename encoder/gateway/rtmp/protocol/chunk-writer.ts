/** Writes messages as RTMP chunks (RTMP 1.0 §5.3). Pure. */
import type { RtmpMessage } from "./chunk-reader.ts";

/** Announced to the peer. */
export const CHUNK_BYTES = 0xffff;
const EXTENDED = 0xffffff;
const CONTINUES = 3 << 6;
const FULL_HEADER_BYTES = 12;

/** @param chunkStream 2 to 63 */
export function chunksOf({ type, streamId, timestampMs, payload }: RtmpMessage, chunkStream: number): Buffer {
  const isExtended = timestampMs >= EXTENDED;
  const extended = Buffer.alloc(isExtended ? 4 : 0);
  if (isExtended) extended.writeUInt32BE(timestampMs);
  const header = Buffer.alloc(FULL_HEADER_BYTES);
  header[0] = chunkStream;
  header.writeUIntBE(isExtended ? EXTENDED : timestampMs, 1, 3);
  header.writeUIntBE(payload.length, 4, 3);
  header[7] = type;
  header.writeUInt32LE(streamId, 8);
  const parts = [header, extended, payload.subarray(0, CHUNK_BYTES)];
  const next = Buffer.of(CONTINUES | chunkStream);
  for (let at = CHUNK_BYTES; at < payload.length; at += CHUNK_BYTES)
    parts.push(next, extended, payload.subarray(at, at + CHUNK_BYTES));
  return Buffer.concat(parts);
}

const CONTROL_CHUNK_STREAM = 2;

/** A protocol control message: a number, and sometimes a byte behind it (§5.4). */
export function controlOf(type: number, value: number, ...more: number[]): Buffer {
  const payload = Buffer.from([0, 0, 0, 0, ...more]);
  payload.writeUInt32BE(value);
  return chunksOf({ type, streamId: 0, timestampMs: 0, payload }, CONTROL_CHUNK_STREAM);
}
