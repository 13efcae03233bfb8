/** Reads exact numbers of bytes from a stream. */
export class ExactReader {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  #rest: Uint8Array = new Uint8Array(0);

  constructor(stream: ReadableStream<Uint8Array>) {
    this.#reader = stream.getReader();
  }

  /** @returns null at the end of the stream @throws {RangeError} when it ends within these bytes */
  async read(count: number): Promise<Uint8Array<ArrayBuffer> | null> {
    const bytes = new Uint8Array(count);
    let filled = 0;
    while (filled < count) {
      if (this.#rest.length === 0) {
        const { done, value } = await this.#reader.read();
        if (done && filled === 0) return null;
        if (done) throw new RangeError(`the stream ended after ${filled} of ${count} bytes`);
        this.#rest = value;
      }
      const taken = this.#rest.subarray(0, count - filled);
      bytes.set(taken, filled);
      filled += taken.length;
      this.#rest = this.#rest.subarray(taken.length);
    }
    return bytes;
  }

  /** Ends the stream, also one that is not read to its end. */
  async cancel(): Promise<void> {
    await this.#reader.cancel();
  }
}
