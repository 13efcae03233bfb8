/** Splits FLV from libav's muxer into tags (Adobe FLV 10.1, E.4; Enhanced RTMP v2, "ExVideoTagHeader"). Pure. */
import { PendingBytes } from "../../platform/pending-bytes.ts";

const FILE_HEADER_BYTES = 13;
const TAG_HEADER_BYTES = 11;
const TRAILER_BYTES = 4;
export const TAG = { audio: 8, video: 9, script: 18 } as const;

export interface FlvTag {
  type: number;
  timestampMs: number;
  data: Buffer;
  /** Metadata or a decoder configuration; never dropped. */
  isHeader: boolean;
  isKeyFrame: boolean;
}

export class FlvTags {
  readonly #pending = new PendingBytes();
  /** Minimum pending bytes for the next tag. */
  #needed = FILE_HEADER_BYTES;
  #hasBegun = false;

  push(bytes: Uint8Array): FlvTag[] {
    this.#pending.append(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
    if (this.#pending.length < this.#needed) return [];
    const all = this.#pending.take();
    const tags: FlvTag[] = [];
    let at = this.#hasBegun ? 0 : FILE_HEADER_BYTES;
    this.#hasBegun = true;
    for (;;) {
      this.#needed = TAG_HEADER_BYTES;
      if (all.length - at < TAG_HEADER_BYTES) break;
      const end = at + TAG_HEADER_BYTES + all.readUIntBE(at + 1, 3);
      this.#needed = end + TRAILER_BYTES - at;
      if (all.length - at < this.#needed) break;
      const timestampMs = all.readUIntBE(at + 4, 3) + all[at + 7]! * 2 ** 24;
      tags.push(tagOf(all[at]!, timestampMs, Buffer.from(all.subarray(at + TAG_HEADER_BYTES, end))));
      at = end + TRAILER_BYTES;
    }
    this.#pending.append(all.subarray(at));
    return tags;
  }
}

function tagOf(type: number, timestampMs: number, data: Buffer): FlvTag {
  const [first = 0, second = 0] = data;
  if (type === TAG.video) {
    const isEnhanced = (first & 0x80) !== 0;
    const isHeader = isEnhanced ? (first & 0x0f) === 0 : (first & 0x0f) === 7 && second === 0;
    return { type, timestampMs, data, isHeader, isKeyFrame: !isHeader && ((first >> 4) & 7) === 1 };
  }
  const isHeader = type === TAG.script || (first >> 4 === 10 && second === 0);
  return { type, timestampMs, data, isHeader, isKeyFrame: false };
}
