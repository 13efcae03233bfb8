/** FLV, as libav's muxer writes it, in tags (Adobe FLV 10.1, E.4; Enhanced RTMP v2, "ExVideoTagHeader"). Pure. */

const FILE_HEADER_BYTES = 13;
const TAG_HEADER_BYTES = 11;
const TRAILER_BYTES = 4;
export const TAG = { audio: 8, video: 9, script: 18 } as const;

export interface FlvTag {
  type: number;
  timestampMs: number;
  data: Buffer;
  /** Metadata or a decoder's configuration: never dropped. */
  isHeader: boolean;
  isKeyFrame: boolean;
}

export class FlvTags {
  #pending: Buffer = Buffer.alloc(0);
  #hasBegun = false;

  push(bytes: Uint8Array): FlvTag[] {
    this.#pending = Buffer.concat([this.#pending, bytes]);
    if (!this.#hasBegun) {
      if (this.#pending.length < FILE_HEADER_BYTES) return [];
      this.#pending = this.#pending.subarray(FILE_HEADER_BYTES);
      this.#hasBegun = true;
    }
    const tags: FlvTag[] = [];
    let at = 0;
    while (this.#pending.length - at >= TAG_HEADER_BYTES) {
      const end = at + TAG_HEADER_BYTES + this.#pending.readUIntBE(at + 1, 3);
      if (this.#pending.length < end + TRAILER_BYTES) break;
      const timestampMs = this.#pending.readUIntBE(at + 4, 3) + this.#pending[at + 7]! * 2 ** 24;
      tags.push(
        tagOf(this.#pending[at]!, timestampMs, Buffer.from(this.#pending.subarray(at + TAG_HEADER_BYTES, end))),
      );
      at = end + TRAILER_BYTES;
    }
    this.#pending = this.#pending.subarray(at);
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
