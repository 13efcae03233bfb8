/**
 * Bytes of a message whose rest has not come yet. The buffer grows by doubling, so bytes that come in pieces of any size are copied a constant
 * number of times on average.
 */
export class PendingBytes {
  #buffer: Buffer = Buffer.alloc(0);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** The bytes so far. They are not copied, and stay as they are until the next `append`. */
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

  /** Gives the bytes away and begins anew: what was given away is not written to any more. */
  take(): Buffer {
    const { bytes } = this;
    this.#buffer = Buffer.alloc(0);
    this.#length = 0;
    return bytes;
  }
}
