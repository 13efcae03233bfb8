/** Bytes of an integer up to 2^53. */
export const MAX_VARINT_BYTES = 8;

/** Writes a whole number up to 2^53: seven bits per byte, least significant first. @returns the position after it */
export function putVarint(bytes: Uint8Array, at: number, value: number): number {
  let next = at;
  let rest = value;
  for (; rest >= 2 ** 31; rest = Math.floor(rest / 128)) bytes[next++] = (rest % 128) | 128;
  let small = rest | 0;
  for (; small >= 128; small >>>= 7) bytes[next++] = small | 128;
  bytes[next++] = small;
  return next;
}

/** A growing buffer for big-endian numbers and ISO boxes. */
export class ByteWriter {
  private bytes: Uint8Array<ArrayBuffer>;
  private view: DataView;
  length = 0;

  constructor(expectedBytes = 4096) {
    this.bytes = new Uint8Array(expectedBytes);
    this.view = new DataView(this.bytes.buffer);
  }

  u8(value: number) {
    this.reserve(1);
    this.view.setUint8(this.length++, value);
  }

  u16(value: number) {
    this.reserve(2);
    this.view.setUint16(this.length, value);
    this.length += 2;
  }

  u32(value: number) {
    this.reserve(4);
    this.view.setUint32(this.length, value);
    this.length += 4;
  }

  i32(value: number) {
    this.u32(value >>> 0);
  }

  /** Whole numbers up to 2^53. */
  u64(value: number) {
    this.u32(Math.floor(value / 2 ** 32));
    this.u32(value % 2 ** 32);
  }

  /** Whole numbers up to 2^53 as varints: seven bits per byte, least significant first. */
  varint(value: number) {
    this.reserve(MAX_VARINT_BYTES);
    this.length = putVarint(this.bytes, this.length, value);
  }

  /**
   * For many small values: `put` writes them itself.
   *
   * @param put gets the buffer, which has room for `maxBytes` more, and the end of what is written; returns the new end
   */
  write(maxBytes: number, put: (bytes: Uint8Array, at: number) => number) {
    this.reserve(maxBytes);
    this.length = put(this.bytes, this.length);
  }

  text(value: string) {
    for (const char of value) this.u8(char.charCodeAt(0));
  }

  raw(bytes: Uint8Array) {
    this.reserve(bytes.length);
    this.bytes.set(bytes, this.length);
    this.length += bytes.length;
  }

  zeros(count: number) {
    this.reserve(count);
    this.bytes.fill(0, this.length, this.length + count);
    this.length += count;
  }

  /** A box whose content is written by `content`. */
  box(type: string, content: () => void) {
    const start = this.length;
    this.u32(0);
    this.text(type);
    content();
    this.setU32(start, this.length - start);
  }

  fullBox(type: string, version: number, flags: number, content: () => void) {
    this.box(type, () => {
      this.u32(version * 2 ** 24 + flags);
      content();
    });
  }

  setU32(at: number, value: number) {
    this.view.setUint32(at, value);
  }

  /** The written bytes. They share the buffer, so they are valid until the next write. */
  written(): Uint8Array<ArrayBuffer> {
    return this.bytes.subarray(0, this.length);
  }

  private reserve(count: number) {
    if (this.length + count <= this.bytes.length) return;
    const grown = new Uint8Array(Math.max(this.bytes.length * 2, this.length + count));
    grown.set(this.bytes);
    this.bytes = grown;
    this.view = new DataView(grown.buffer);
  }
}
