/**
 * Buffers the bytes of an incomplete message. The buffer grows by doubling, so each byte is copied a constant number of times on average,
 * whatever the size of the pieces.
 */
export class PendingBytes {
  #buffer: Buffer = Buffer.alloc(0);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** A view of the buffered bytes, valid until the next `append`. */
  get bytes(): Buffer {
    return this.#buffer.subarray(0, this.#length);
  }

  append(bytes: Buffer): void {
    const length = this.#length + bytes.length;
    if (length > this.#buffer.length) {
      const grown = Buffer.allocUnsafeSlow(Math.max(length, 2 * this.#buffer.length));
      this.#buffer.copy(grown, 0, 0, this.#length);
      this.#buffer = grown;
    }
    bytes.copy(this.#buffer, this.#length);
    this.#length = length;
  }

  /** Returns the bytes and starts a new buffer; the returned bytes are never overwritten. */
  take(): Buffer {
    const { bytes } = this;
    this.#buffer = Buffer.alloc(0);
    this.#length = 0;
    return bytes;
  }
}
