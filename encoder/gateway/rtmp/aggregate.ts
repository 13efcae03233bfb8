/** Takes aggregate messages apart (RTMP 1.0 §7.1.6): each holds messages in the form of FLV tags. Pure. */
import type { RtmpMessage } from "./protocol/chunk-reader.ts";
import { RtmpError } from "./protocol/rtmp-error.ts";

export const AGGREGATE = 22;
const HEADER_BYTES = 11;
/** Length of the part before, for reading backwards. */
const TRAILER_BYTES = 4;

/** The first part has the time of the aggregate, the others keep their distance from it. @throws {RtmpError} */
export function* partsOf({ streamId, timestampMs, payload }: RtmpMessage): Generator<RtmpMessage> {
  let firstMs: number | null = null;
  for (let at = 0; at < payload.length;) {
    if (payload.length - at < HEADER_BYTES) throw new RtmpError("aggregate cut short");
    const type = payload[at]!;
    const begin = at + HEADER_BYTES;
    const end = begin + payload.readUIntBE(at + 1, 3);
    if (end > payload.length) throw new RtmpError("aggregate cut short");
    if (type === AGGREGATE) throw new RtmpError("an aggregate in an aggregate");
    const partMs = payload.readUIntBE(at + 4, 3) + payload[at + 7]! * 2 ** 24;
    firstMs ??= partMs;
    yield {
      type,
      streamId,
      timestampMs: (timestampMs + partMs - firstMs) >>> 0,
      payload: payload.subarray(begin, end),
    };
    at = end + TRAILER_BYTES;
  }
}
